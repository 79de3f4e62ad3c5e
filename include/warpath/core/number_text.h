// Numbers as people read them in errors, and as files hold them.
//
//   Error{"radius", numberText(radius), "use metres within 0.5..256"};     // "radius: -3.4028235e+38; ..."
#pragma once

#include <string>

namespace warpath {

/// The shortest decimal that reads back as this float: "0.1", "8192", "-3.4028235e+38", "nan", "inf". The same on every machine.
[[nodiscard]] std::string numberText(float value);

/// At most seven significant digits, without trailing zeros: "0.1", "81.91", "1e+12", "nan".
[[nodiscard]] std::string numberText(double value);

}  // namespace warpath
