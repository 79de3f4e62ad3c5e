// A user of the library: includes public headers only, links warpath::warpath, fails if the library does not answer.
#include <cstdio>
#include <cstring>

#include "warpath/core/status.h"
#include "warpath/core/types.h"

int main() {
    using namespace warpath;
    const Cell cell = cellAt(Position{-0.5f, 7.25f});
    const char* name = toString(PathStatus::StartBlocked);
    std::printf("warpath answers: cell (%d, %d), %s\n", cell.x, cell.y, name);
    return cell == Cell{-1, 7} && std::strcmp(name, "start_blocked") == 0 ? 0 : 1;
}
