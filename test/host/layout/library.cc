#include "test/host/layout/classes.h"

namespace layout_test {
Same::~Same() = default;
void Same::A() {}
Larger::~Larger() = default;
Swapped::~Swapped() = default;
void Swapped::A() {}
void Swapped::B() {}
Retyped::~Retyped() = default;
void Retyped::A(int) {}
Implemented::~Implemented() = default;
Final::~Final() = default;
void Final::A() {}
}  // namespace layout_test

Outer::~Outer() = default;
void Outer::A() {}
