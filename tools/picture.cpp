#include "picture.h"

#include <png.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

#include "font.h"

namespace warpath::tool {
namespace {

std::uint8_t toByte(float v) { return static_cast<std::uint8_t>(std::clamp(v, 0.0f, 255.0f) + 0.5f); }

float distanceToSegment(Point p, Point a, Point b) {
    const float dx = b.x - a.x, dy = b.y - a.y;
    const float squared = dx * dx + dy * dy;
    const float along = squared > 0.0f ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / squared, 0.0f, 1.0f) : 0.0f;
    return std::hypot(p.x - (a.x + along * dx), p.y - (a.y + along * dy));
}

/// The whole pixels around a range, kept within 0..size.
struct Span {
    int first, last;
};
Span pixelsOf(float low, float high, int size) {
    const float limit = static_cast<float>(size);
    return {static_cast<int>(std::floor(std::clamp(low, 0.0f, limit))), static_cast<int>(std::ceil(std::clamp(high, 0.0f, limit)))};
}

}  // namespace

Colour mix(Colour a, Colour b, float share) {
    const auto between = [share](std::uint8_t from, std::uint8_t to) {
        return toByte(static_cast<float>(from) + (static_cast<float>(to) - static_cast<float>(from)) * share);
    };
    return {between(a.red, b.red), between(a.green, b.green), between(a.blue, b.blue)};
}

Colour shade(Colour colour, float factor) {
    return {toByte(static_cast<float>(colour.red) * factor), toByte(static_cast<float>(colour.green) * factor),
            toByte(static_cast<float>(colour.blue) * factor)};
}

Colour ramp(const std::vector<Colour>& stops, float share) {
    const float at = std::clamp(share, 0.0f, 1.0f) * static_cast<float>(stops.size() - 1);
    const std::size_t i = std::min(static_cast<std::size_t>(at), stops.size() - 1);
    return i + 1 < stops.size() ? mix(stops[i], stops[i + 1], at - static_cast<float>(i)) : stops[i];
}

Picture::Picture(int width, int height, Colour fill_colour)
    : width_(width), height_(height), pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3) {
    fill(0, 0, width, height, fill_colour);
}

Colour Picture::at(int x, int y) const {
    const std::size_t i = offset(x, y);
    return {pixels_[i], pixels_[i + 1], pixels_[i + 2]};
}

void Picture::blend(int x, int y, Colour colour, float alpha) {
    if (x < 0 || y < 0 || x >= width_ || y >= height_ || alpha <= 0.0f) return;
    const Colour now = alpha >= 1.0f ? colour : mix(at(x, y), colour, alpha);
    const std::size_t i = offset(x, y);
    pixels_[i] = now.red;
    pixels_[i + 1] = now.green;
    pixels_[i + 2] = now.blue;
}

void Picture::fill(int x, int y, int width, int height, Colour colour, float alpha) {
    const int x1 = std::min(x + width, width_), y1 = std::min(y + height, height_);
    for (int py = std::max(y, 0); py < y1; ++py)
        for (int px = std::max(x, 0); px < x1; ++px) blend(px, py, colour, alpha);
}

void Picture::frame(int x, int y, int width, int height, Colour colour) {
    fill(x, y, width, 1, colour);
    fill(x, y + height - 1, width, 1, colour);
    fill(x, y, 1, height, colour);
    fill(x + width - 1, y, 1, height, colour);
}

void Picture::line(Point a, Point b, float thickness, Colour colour, float alpha) {
    const float half = thickness / 2;
    const Span xs = pixelsOf(std::min(a.x, b.x) - half - 1, std::max(a.x, b.x) + half + 1, width_);
    const Span ys = pixelsOf(std::min(a.y, b.y) - half - 1, std::max(a.y, b.y) + half + 1, height_);
    for (int y = ys.first; y < ys.last; ++y) {
        for (int x = xs.first; x < xs.last; ++x) {
            const float away = distanceToSegment({static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f}, a, b);
            blend(x, y, colour, alpha * std::clamp(half + 0.5f - away, 0.0f, 1.0f));
        }
    }
}

void Picture::disc(Point centre, float radius, Colour colour, float alpha) { line(centre, centre, 2 * radius, colour, alpha); }

void Picture::ring(Point centre, float radius, float thickness, Colour colour, float alpha) {
    const Span xs = pixelsOf(centre.x - radius - thickness - 1, centre.x + radius + thickness + 1, width_);
    const Span ys = pixelsOf(centre.y - radius - thickness - 1, centre.y + radius + thickness + 1, height_);
    for (int y = ys.first; y < ys.last; ++y) {
        for (int x = xs.first; x < xs.last; ++x) {
            const float away = std::hypot(static_cast<float>(x) + 0.5f - centre.x, static_cast<float>(y) + 0.5f - centre.y);
            blend(x, y, colour, alpha * std::clamp(thickness / 2 + 0.5f - std::fabs(away - radius), 0.0f, 1.0f));
        }
    }
}

void Picture::triangle(Point a, Point b, Point c, Colour colour, float alpha) {
    const float area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if (area < 0) std::swap(b, c);
    const auto inside = [](Point p, Point from, Point to) {
        const float length = std::max(std::hypot(to.x - from.x, to.y - from.y), 1e-6f);
        return ((to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x)) / length;
    };
    const Span xs = pixelsOf(std::min({a.x, b.x, c.x}) - 1, std::max({a.x, b.x, c.x}) + 1, width_);
    const Span ys = pixelsOf(std::min({a.y, b.y, c.y}) - 1, std::max({a.y, b.y, c.y}) + 1, height_);
    for (int y = ys.first; y < ys.last; ++y) {
        for (int x = xs.first; x < xs.last; ++x) {
            const Point p{static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f};
            const float depth = std::min({inside(p, a, b), inside(p, b, c), inside(p, c, a)});
            blend(x, y, colour, alpha * std::clamp(depth + 0.5f, 0.0f, 1.0f));
        }
    }
}

void Picture::arrow(Point from, Point to, float thickness, Colour colour, float alpha) {
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    if (length < 1e-3f) return;
    const Point along{(to.x - from.x) / length, (to.y - from.y) / length};
    const float head = std::min(length, std::max(3.0f * thickness, 3.0f));
    const Point neck{to.x - along.x * head, to.y - along.y * head};
    line(from, neck, thickness, colour, alpha);
    const float half = head * 0.6f;
    triangle(to, {neck.x - along.y * half, neck.y + along.x * half}, {neck.x + along.y * half, neck.y - along.x * half}, colour, alpha);
}

void Picture::text(int x, int y, std::string_view text, int scale, Colour colour) {
    for (const char c : text) {
        const int index = static_cast<int>(static_cast<unsigned char>(c)) - kFirstGlyph;
        const Glyph& glyph = index >= 0 && index < static_cast<int>(kFont.size()) ? kFont[static_cast<std::size_t>(index)] : kUnknownGlyph;
        const int drop = descentOf(c);
        for (int row = 0; row < 7; ++row)
            for (int column = 0; column < 5; ++column)
                if ((glyph[static_cast<std::size_t>(row)] >> (4 - column)) & 1) fill(x + column * scale, y + (row + drop) * scale, scale, scale, colour);
        x += 6 * scale;
    }
}

void Picture::textWithBorder(int x, int y, std::string_view letters, int scale, Colour colour, Colour border) {
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx != 0 || dy != 0) text(x + dx * scale, y + dy * scale, letters, scale, border);
    text(x, y, letters, scale, colour);
}

void Picture::paste(const Picture& other, int x, int y) {
    for (int py = 0; py < other.height_; ++py)
        for (int px = 0; px < other.width_; ++px) blend(x + px, y + py, other.at(px, py));
}

std::optional<Error> Picture::writePng(const std::string& path) const {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), &std::fclose);
    const auto failed = [&path](const std::string& why) { return Error{"--png", path + " (" + why + ")", "name a file that can be written"}; };
    if (!file) return failed(std::strerror(errno));
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width_);
    image.height = static_cast<png_uint_32>(height_);
    image.format = PNG_FORMAT_RGB;
    if (png_image_write_to_stdio(&image, file.get(), 0, pixels_.data(), 0, nullptr) == 0) return failed(image.message);
    if (std::fflush(file.get()) != 0) return failed(std::strerror(errno));
    return std::nullopt;
}

}  // namespace warpath::tool
