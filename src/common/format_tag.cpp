// SPDX-License-Identifier: Apache-2.0
#include "common/format_tag.hpp"

#include <cstring>

namespace tombola::impl {
namespace {

struct NamedTag {
    tombola_format_tag_t tag;
    const char* name;
};

// Names in letters of dimensions come first, so that tag_name() finds them before their further
// names.
#define TAG(name) \
    { tombola_##name, #name }
// clang-format off
constexpr NamedTag kTags[] = {
    TAG(a), TAG(ab), TAG(abc), TAG(abcd), TAG(abcde), TAG(abcdef), TAG(abcdefg), TAG(abcdefgh),
    TAG(abcdefghi), TAG(abcdefghij), TAG(abcdefghijk), TAG(abcdefghijkl), TAG(ba), TAG(acb),
    TAG(bac), TAG(bca), TAG(cab), TAG(cba), TAG(abdc), TAG(acbd), TAG(acdb), TAG(adbc), TAG(adcb),
    TAG(bacd), TAG(badc), TAG(bcad), TAG(bcda), TAG(bdac), TAG(bdca), TAG(cabd), TAG(cadb),
    TAG(cbad), TAG(cbda), TAG(cdab), TAG(cdba), TAG(dabc), TAG(dacb), TAG(dbac), TAG(dbca),
    TAG(dcab), TAG(dcba), TAG(abced), TAG(abdec), TAG(acbde), TAG(acdeb), TAG(adecb), TAG(bacde),
    TAG(bcdea), TAG(cdeba), TAG(decab), TAG(abcdfe), TAG(abdfce), TAG(abdefc), TAG(acbdef),
    TAG(adefcb), TAG(defcab), TAG(aBc4b), TAG(aBc8b), TAG(aBc16b), TAG(aBcd4b), TAG(aBcd8b),
    TAG(aBcd16b), TAG(aBcde4b), TAG(aBcde8b), TAG(aBcde16b), TAG(aBc32b),
    TAG(aBcd32b), TAG(aBcde32b), TAG(x), TAG(nc), TAG(cn), TAG(tn),
    TAG(nt), TAG(ncw), TAG(nwc), TAG(nchw), TAG(nhwc), TAG(chwn), TAG(ncdhw), TAG(ndhwc), TAG(oi),
    TAG(io), TAG(oiw), TAG(owi), TAG(wio), TAG(iwo), TAG(oihw), TAG(hwio), TAG(ohwi), TAG(ihwo),
    TAG(iohw), TAG(oidhw), TAG(iodhw), TAG(dhwio), TAG(odhwi), TAG(idhwo), TAG(goiw), TAG(gowi),
    TAG(gwio), TAG(wigo), TAG(goihw), TAG(gohwi), TAG(ghwio), TAG(hwigo), TAG(giohw), TAG(goidhw),
    TAG(godhwi), TAG(gdhwio), TAG(giodhw), TAG(dhwigo), TAG(tnc), TAG(ntc), TAG(ldnc), TAG(ldigo),
    TAG(ldgoi), TAG(ldio), TAG(ldoi), TAG(ldgo), TAG(nCw4c), TAG(nCw8c), TAG(nCw16c), TAG(nChw4c),
    TAG(nChw8c), TAG(nChw16c), TAG(nCdhw4c), TAG(nCdhw8c), TAG(nCdhw16c),
    TAG(nCw32c), TAG(nChw32c), TAG(nCdhw32c),
};
// clang-format on
#undef TAG

}  // namespace

const char* tag_name(tombola_format_tag_t tag) {
    if (tag == tombola_format_tag_any) return "any";
    for (const NamedTag& row : kTags)
        if (row.tag == tag) return row.name;
    return nullptr;
}

tombola_format_tag_t tag_of(const char* name) {
    if (std::strcmp(name, "any") == 0) return tombola_format_tag_any;
    for (const NamedTag& row : kTags)
        if (std::strcmp(row.name, name) == 0) return row.tag;
    return tombola_format_tag_undef;
}

TagLayout tag_layout(tombola_format_tag_t tag) {
    TagLayout layout;
    const char* letter = tag_name(tag);
    for (; *letter != '\0' && (*letter < '0' || *letter > '9'); ++letter) {
        const bool blocked = *letter >= 'A' && *letter <= 'Z';
        const int dim = *letter - (blocked ? 'A' : 'a');
        if (blocked) layout.block_dim = dim;
        layout.order[layout.ndims++] = dim;
    }
    if (*letter != '\0') {
        layout.block = 0;
        for (; *letter >= '0' && *letter <= '9'; ++letter)
            layout.block = 10 * layout.block + (*letter - '0');
    }
    return layout;
}

}  // namespace tombola::impl
