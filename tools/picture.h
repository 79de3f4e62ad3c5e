// A small canvas: pixels, lines, arrows, discs and text on an RGB image, and PNG files.
//
//   Picture picture(640, 480, kWhite);
//   picture.line({10, 10}, {600, 400}, 3.0f, {200, 30, 30});
//   picture.text(12, 12, "route 1", 2, kBlack);
//   if (auto error = picture.writePng("out.png")) return say(error->text());
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/core/error.h"

namespace warpath::tool {

struct Colour {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
    friend bool operator==(const Colour&, const Colour&) = default;
};

inline constexpr Colour kBlack{20, 20, 24};
inline constexpr Colour kWhite{255, 255, 255};

/// a + (b - a) * share, share 0..1.
[[nodiscard]] Colour mix(Colour a, Colour b, float share);
/// The colour times `factor`, kept within 0..255.
[[nodiscard]] Colour shade(Colour colour, float factor);
/// A point of a colour ramp; `share` is clamped to 0..1.
[[nodiscard]] Colour ramp(const std::vector<Colour>& stops, float share);

/// A point of the canvas [pixels]; whole numbers are the corners of pixels.
struct Point {
    float x = 0.0f;
    float y = 0.0f;
};

/// Everything is clipped to the canvas. Edges of lines and discs are smooth. Alpha: 0 leaves what is there, 1 covers it.
class Picture {
public:
    Picture(int width, int height, Colour fill);

    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int height() const { return height_; }
    /// @pre inside the canvas.
    [[nodiscard]] Colour at(int x, int y) const;

    void blend(int x, int y, Colour colour, float alpha = 1.0f);
    void fill(int x, int y, int width, int height, Colour colour, float alpha = 1.0f);
    void frame(int x, int y, int width, int height, Colour colour);
    void line(Point a, Point b, float thickness, Colour colour, float alpha = 1.0f);
    void disc(Point centre, float radius, Colour colour, float alpha = 1.0f);
    void ring(Point centre, float radius, float thickness, Colour colour, float alpha = 1.0f);
    void triangle(Point a, Point b, Point c, Colour colour, float alpha = 1.0f);
    /// A line with a head at `to`.
    void arrow(Point from, Point to, float thickness, Colour colour, float alpha = 1.0f);

    /// Text in the built-in letters of 5 x 7 pixels (6 x 9 with spacing) times `scale`; x, y is the top left corner. ASCII; other bytes show as a box.
    void text(int x, int y, std::string_view text, int scale, Colour colour);
    /// The same with a border of one font pixel, readable on any ground.
    void textWithBorder(int x, int y, std::string_view text, int scale, Colour colour, Colour border);
    [[nodiscard]] static int textWidth(std::string_view text, int scale) { return static_cast<int>(text.size()) * 6 * scale; }

    void paste(const Picture& other, int x, int y);

    /// Writes a PNG, 8 bits a channel. @return what is wrong, or nothing.
    [[nodiscard]] std::optional<Error> writePng(const std::string& path) const;

private:
    [[nodiscard]] std::size_t offset(int x, int y) const {
        return (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)) * 3;
    }

    int width_;
    int height_;
    std::vector<std::uint8_t> pixels_;
};

}  // namespace warpath::tool
