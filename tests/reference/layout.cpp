// SPDX-License-Identifier: Apache-2.0
#include "reference/layout.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

namespace tombola::reference {

namespace {

int64_t product(const Dims& dims) {
    int64_t result = 1;
    for (int64_t dim : dims) result *= dim;
    return result;
}

std::string first_letters(int count) {
    std::string letters;
    for (int d = 0; d < count; ++d) letters += static_cast<char>('a' + d);
    return letters;
}

// Calls body(physical offset, logical element) for each index of the box [0, dims) that has
// index[d] >= from for dimension `from_dim`. The last dimension runs innermost.
template <class Body>
void for_each_index(const Layout& layout, const Dims& box, const Body& body) {
    if (product(box) == 0) return;
    const int ndims = layout.ndims();
    if (ndims == 0) return;
    Dims index(box.size(), 0);
    const int last = ndims - 1;
    const int64_t stride = layout.strides[last];
    int64_t element = 0;
    for (;;) {
        index[last] = 0;
        const int64_t base = layout.offset(index);
        if (last == layout.block_dim)
            for (int64_t i = 0; i < box[last]; ++i)
                body(base + i / layout.block * stride + i % layout.block, element++);
        else
            for (int64_t i = 0; i < box[last]; ++i) body(base + i * stride, element++);
        int d = last - 1;
        while (d >= 0 && ++index[d] == box[d]) index[d--] = 0;
        if (d < 0) return;
    }
}

template <class T>
void pack_as(const Layout& layout, const T* logical, T* physical) {
    if (layout.padded_dims != layout.dims)
        for_each_index(layout, layout.padded_dims,
                       [&](int64_t offset, int64_t) { physical[offset] = T{}; });
    for_each_index(layout, layout.dims,
                   [&](int64_t offset, int64_t element) { physical[offset] = logical[element]; });
}

template <class T>
void unpack_as(const Layout& layout, const T* physical, T* logical) {
    for_each_index(layout, layout.dims,
                   [&](int64_t offset, int64_t element) { logical[element] = physical[offset]; });
}

// The names that stand for dimensions by their meaning, in logical order.
const char* const kMeanings[] = {"x",   "nc",   "ncw",   "nchw", "ncdhw", "oi",
                                 "oiw", "oihw", "oidhw", "goiw", "goihw", "goidhw",
                                 "tn",  "tnc",  "ldnc",  "ldio", "ldgo",  "ldigo"};

// nChw16c -> aBcd16b; other text unchanged.
std::string letters_of_meanings(const std::string& name) {
    const size_t digits = std::min(name.find_first_of("0123456789"), name.size());
    std::string outer = name.substr(0, digits);
    std::set<char> used;
    for (char c : outer) used.insert(static_cast<char>(std::tolower(c)));
    for (const std::string meaning : kMeanings) {
        if (outer.size() != meaning.size() ||
            used != std::set<char>(meaning.begin(), meaning.end()))
            continue;
        std::string letters = name;
        for (char& c : letters) {
            if (!std::isalpha(static_cast<unsigned char>(c))) continue;
            const size_t position = meaning.find(static_cast<char>(std::tolower(c)));
            if (position == std::string::npos) return name;
            c = static_cast<char>((std::isupper(static_cast<unsigned char>(c)) ? 'A' : 'a') +
                                  static_cast<char>(position));
        }
        return letters;
    }
    return name;
}

// abx and its like: x becomes the dimensions from c on; with one dimension b goes too.
std::string letters_of_x(const std::string& name, int ndims) {
    std::string letters;
    for (char c : name) {
        if (c == 'x')
            letters += ndims > 2 ? first_letters(ndims).substr(2) : "";
        else if (c != 'b' || ndims > 1)
            letters += c;
    }
    return letters;
}

}  // namespace

int64_t Layout::count() const { return dims.empty() ? 0 : product(dims); }

int64_t Layout::span() const {
    if (count() == 0) return 0;
    int64_t last = block - 1;
    for (int d = 0; d < ndims(); ++d)
        last += (padded_dims[d] / (d == block_dim ? block : 1) - 1) * strides[d];
    return last + 1;
}

int64_t Layout::offset(const Dims& index) const {
    int64_t result = 0;
    for (int d = 0; d < ndims(); ++d)
        result += d == block_dim ? index[d] / block * strides[d] + index[d] % block
                                 : index[d] * strides[d];
    return result;
}

bool Layout::is_row_major() const {
    int64_t stride = 1;
    if (block_dim >= 0) return false;
    for (int d = ndims() - 1; d >= 0; --d) {
        if (dims[d] != 1 && strides[d] != stride) return false;
        stride *= dims[d];
    }
    return true;
}

std::string Layout::to_string() const {
    std::string text;
    for (int d = 0; d < ndims(); ++d)
        text += (d ? "x" : "") + std::to_string(dims[d]) + ":" + std::to_string(strides[d]);
    if (block_dim >= 0)
        text += " block " + std::to_string(block) + " of dimension " + std::to_string(block_dim);
    return text;
}

bool operator==(const Layout& a, const Layout& b) {
    if (a.dims != b.dims || a.padded_dims != b.padded_dims || a.block_dim != b.block_dim ||
        a.block != b.block)
        return false;
    // The stride of a dimension of size 1 locates nothing.
    for (int d = 0; d < a.ndims(); ++d) {
        const int64_t steps = a.padded_dims[d] / (d == a.block_dim ? a.block : 1);
        if (steps > 1 && a.strides[d] != b.strides[d]) return false;
    }
    return true;
}

Layout Layout::row_major(const Dims& dims) {
    return from_letters(first_letters(static_cast<int>(dims.size())), dims);
}

Layout Layout::from_letters(const std::string& letters, const Dims& dims) {
    Layout layout;
    layout.dims = layout.padded_dims = dims;
    layout.strides.assign(dims.size(), 0);
    const size_t digits = std::min(letters.find_first_of("0123456789"), letters.size());
    if (digits < letters.size()) {
        layout.block = std::stoll(letters.substr(digits));
        layout.block_dim = letters.back() - 'a';
        int64_t& padded = layout.padded_dims[static_cast<size_t>(layout.block_dim)];
        padded = (padded + layout.block - 1) / layout.block * layout.block;
    }
    int64_t stride = layout.block;
    for (size_t position = digits; position-- > 0;) {
        const int d = std::tolower(letters[position]) - 'a';
        layout.strides[static_cast<size_t>(d)] = stride;
        const int64_t steps =
            layout.padded_dims[static_cast<size_t>(d)] / (d == layout.block_dim ? layout.block : 1);
        stride *= std::max<int64_t>(steps, 1);
    }
    return layout;
}

Tag expand_tag(const std::string& name, int ndims) {
    const Tag malformed{Tag::Kind::malformed, name};
    std::string letters = letters_of_meanings(name);
    if (letters.size() > 1 && letters.find('x') != std::string::npos)
        letters = letters_of_x(letters, ndims);

    const size_t digits = std::min(letters.find_first_of("0123456789"), letters.size());
    if (static_cast<int>(digits) != ndims) return malformed;
    std::set<char> seen, upper;
    for (char c : letters.substr(0, digits)) {
        if (!std::isalpha(static_cast<unsigned char>(c))) return malformed;
        const char lower = static_cast<char>(std::tolower(c));
        if (lower >= 'a' + ndims || !seen.insert(lower).second) return malformed;
        if (lower != c) upper.insert(lower);
    }
    if (digits == letters.size()) return upper.empty() ? Tag{Tag::Kind::plain, letters} : malformed;

    // (number letter)+
    int blocks = 0;
    std::set<char> blocked;
    for (size_t i = digits; i < letters.size(); ++i) {
        const size_t begin = i;
        while (i < letters.size() && std::isdigit(static_cast<unsigned char>(letters[i]))) ++i;
        if (i == begin || i == letters.size() || i - begin > 6) return malformed;
        if (std::stoi(letters.substr(begin)) < 1 || !upper.count(letters[i])) return malformed;
        blocked.insert(letters[i]);
        ++blocks;
    }
    if (blocked != upper) return malformed;
    return {blocks == 1 ? Tag::Kind::blocked : Tag::Kind::other, letters};
}

void pack(const Layout& layout, size_t element_size, const void* logical, void* physical) {
    if (layout.is_row_major()) {
        if (layout.count())
            std::memcpy(physical, logical, static_cast<size_t>(layout.count()) * element_size);
        return;
    }
    switch (element_size) {
        case 1:
            return pack_as(layout, static_cast<const uint8_t*>(logical),
                           static_cast<uint8_t*>(physical));
        case 2:
            return pack_as(layout, static_cast<const uint16_t*>(logical),
                           static_cast<uint16_t*>(physical));
        case 4:
            return pack_as(layout, static_cast<const uint32_t*>(logical),
                           static_cast<uint32_t*>(physical));
        default:
            return pack_as(layout, static_cast<const uint64_t*>(logical),
                           static_cast<uint64_t*>(physical));
    }
}

void unpack(const Layout& layout, size_t element_size, const void* physical, void* logical) {
    if (layout.is_row_major()) {
        if (layout.count())
            std::memcpy(logical, physical, static_cast<size_t>(layout.count()) * element_size);
        return;
    }
    switch (element_size) {
        case 1:
            return unpack_as(layout, static_cast<const uint8_t*>(physical),
                             static_cast<uint8_t*>(logical));
        case 2:
            return unpack_as(layout, static_cast<const uint16_t*>(physical),
                             static_cast<uint16_t*>(logical));
        case 4:
            return unpack_as(layout, static_cast<const uint32_t*>(physical),
                             static_cast<uint32_t*>(logical));
        default:
            return unpack_as(layout, static_cast<const uint64_t*>(physical),
                             static_cast<uint64_t*>(logical));
    }
}

Dims index_of(const Dims& dims, int64_t element) {
    Dims index(dims.size());
    for (size_t d = dims.size(); d-- > 0;) {
        index[d] = element % dims[d];
        element /= dims[d];
    }
    return index;
}

}  // namespace tombola::reference
