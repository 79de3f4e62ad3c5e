#include "io/text_input.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

namespace warpath {
namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

std::string systemText(int code) { return std::generic_category().message(code); }

bool isWhite(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

}  // namespace

std::variant<std::string, Error> readFile(const std::string& path, std::size_t limit) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return Error{path, "a directory", "name a file"};
    const FileHandle file(std::fopen(path.c_str(), "rb"));
    if (!file) return Error{path, systemText(errno), "name a file that can be read"};
    std::string bytes;
    char block[1 << 16];
    while (const std::size_t count = std::fread(block, 1, sizeof block, file.get())) {
        if (count > limit - bytes.size()) {
            return Error{path, "more than " + std::to_string(limit) + " bytes", "name a file of the right kind; none is that large"};
        }
        bytes.append(block, count);
    }
    if (std::ferror(file.get()) != 0) return Error{path, systemText(errno), "name a file that can be read"};
    return bytes;
}

std::optional<Error> writeFile(const std::string& path, std::string_view bytes) {
    const std::string temporary = path + ".part";
    const auto failed = [&](int code) {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        return Error{path, systemText(code), "name a place that can be written, with " + std::to_string(bytes.size()) + " bytes free"};
    };
    FileHandle file(std::fopen(temporary.c_str(), "wb"));
    if (!file) return failed(errno);
    if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) return failed(errno);
    if (std::fclose(file.release()) != 0) return failed(errno);
    std::error_code code;
    std::filesystem::rename(temporary, path, code);
    if (code) return failed(code.value());
    return std::nullopt;
}

std::string quotedText(std::string_view text) {
    constexpr std::size_t kLongest = 40;
    static constexpr char kHex[] = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text.substr(0, kLongest)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f) {
            out += c;
        } else {
            out += "\\x";
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        }
    }
    return out + (text.size() > kLongest ? "...\"" : "\"");
}

Error errorAt(std::string_view name, std::size_t line, std::string value, std::string remedy) {
    return {std::string(name) + ":" + std::to_string(line), std::move(value), std::move(remedy)};
}

std::optional<std::int64_t> parseInteger(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

std::optional<double> parseNumber(std::string_view text) {
    double value = 0.0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || text.empty() || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::vector<std::string_view> splitWhite(std::string_view line) {
    std::vector<std::string_view> pieces;
    std::size_t at = 0;
    while (at < line.size()) {
        while (at < line.size() && isWhite(line[at])) ++at;
        const std::size_t begin = at;
        while (at < line.size() && !isWhite(line[at])) ++at;
        if (at > begin) pieces.push_back(line.substr(begin, at - begin));
    }
    return pieces;
}

LineReader::LineReader(std::string_view text) : rest_(text) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

bool LineReader::next() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    ++number_;
    return true;
}

}  // namespace warpath
