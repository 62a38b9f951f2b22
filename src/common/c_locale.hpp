// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <locale.h>  // newlocale() and uselocale() of POSIX

#include "common/fork.hpp"

namespace tombola::impl {

// While it lives, the calling thread formats numbers as C does, with a point, whatever locale the program has chosen. A
// decimal comma would split a column of a verbose line.
class CLocale {
  public:
    CLocale() : before_(uselocale(c_locale())) {}
    ~CLocale() { uselocale(before_); }
    CLocale(const CLocale&) = delete;
    CLocale& operator=(const CLocale&) = delete;

  private:
    // Never freed. Without memory for it, it is null, which changes nothing.
    static locale_t c_locale() {
        return made_once([] { return newlocale(LC_ALL_MASK, "C", nullptr); });
    }

    locale_t before_;
};

}  // namespace tombola::impl
