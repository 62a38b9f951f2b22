// SPDX-License-Identifier: Apache-2.0
#include "common/format_tag.hpp"

#include <cstring>

namespace tombola::impl {
namespace {

struct NamedTag {
    tombola_format_tag_t tag;
    const char* name;
};

// Names made of dimension letters come before the aliases, so tag_name() returns them and not an alias.
constexpr NamedTag kTags[] = {
#define TOMBOLA_ROW(name) {tombola_##name, #name},
    TOMBOLA_FORMAT_TAGS(TOMBOLA_ROW)
#undef TOMBOLA_ROW
#define TOMBOLA_ROW(alias, name) {tombola_##alias, #alias},
        TOMBOLA_FORMAT_TAG_ALIASES(TOMBOLA_ROW)
#undef TOMBOLA_ROW
};

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
