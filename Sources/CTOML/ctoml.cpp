#include "ctoml.h"

#include <deque>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {
// Some texts that are not TOML fail an assertion of the parser. An error in a file must not end the service.
[[noreturn]] void refuse() { throw std::logic_error("this is not TOML"); }
} // namespace

#undef NDEBUG
#define TOML_ASSERT(condition) ((condition) ? (void)0 : refuse())
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

struct ctoml_document {
    std::vector<ctoml_value> values;
    // Never moves what it has.
    std::deque<std::string> texts;
    std::string error;
    unsigned line = 0;
    unsigned column = 0;

    ctoml_text kept(std::string text) {
        texts.push_back(std::move(text));
        return {texts.back().data(), texts.back().size()};
    }

    template <typename Time>
    ctoml_text written(const toml::node &node) {
        std::ostringstream stream;
        stream << node.ref<Time>();
        return kept(stream.str());
    }

    void add(const toml::node &node, std::string_view key) {
        ctoml_value value{};
        value.key = kept(std::string(key));
        value.line = node.source().begin.line;
        switch (node.type()) {
        case toml::node_type::table:
            value.kind = CTOML_TABLE;
            value.children = node.as_table()->size();
            values.push_back(value);
            for (const auto &[name, child] : *node.as_table()) add(child, name.str());
            return;
        case toml::node_type::array:
            value.kind = CTOML_ARRAY;
            value.children = node.as_array()->size();
            values.push_back(value);
            for (const auto &child : *node.as_array()) add(child, {});
            return;
        case toml::node_type::string:
            value.kind = CTOML_STRING;
            value.text = kept(node.ref<std::string>());
            break;
        case toml::node_type::integer:
            value.kind = CTOML_INTEGER;
            value.integer = node.ref<int64_t>();
            break;
        case toml::node_type::floating_point:
            value.kind = CTOML_FLOAT;
            value.number = node.ref<double>();
            break;
        case toml::node_type::boolean:
            value.kind = CTOML_BOOL;
            value.integer = node.ref<bool>();
            break;
        case toml::node_type::date:
            value.kind = CTOML_DATE;
            value.text = written<toml::date>(node);
            break;
        case toml::node_type::time:
            value.kind = CTOML_TIME;
            value.text = written<toml::time>(node);
            break;
        case toml::node_type::date_time:
            value.kind = CTOML_DATE_TIME;
            value.text = written<toml::date_time>(node);
            break;
        default: ::refuse();
        }
        values.push_back(value);
    }

    void refuse(std::string_view reason) {
        values.clear();
        error = reason;
    }
};

ctoml_document *ctoml_parse(const char *bytes, size_t length) {
    auto *document = new (std::nothrow) ctoml_document;
    if (document == nullptr) return nullptr;
    try {
        document->add(toml::parse(std::string_view(bytes, length)), {});
    } catch (const toml::parse_error &error) {
        document->refuse(error.description());
        document->line = error.source().begin.line;
        document->column = error.source().begin.column;
    } catch (const std::bad_alloc &) {
        delete document;
        return nullptr;
    } catch (const std::exception &error) {
        document->refuse(error.what());
    } catch (...) {
        document->refuse("this is not TOML");
    }
    return document;
}

void ctoml_free(ctoml_document *document) { delete document; }

const ctoml_value *ctoml_values(const ctoml_document *document, size_t *count) {
    *count = document->values.size();
    return document->values.data();
}

ctoml_text ctoml_error(const ctoml_document *document, unsigned *line, unsigned *column) {
    *line = document->line;
    *column = document->column;
    return {document->error.data(), document->error.size()};
}
