/* TOML as Debian's toml++ reads it, for callers that know no C++: no exception leaves a function. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ctoml_kind {
    CTOML_TABLE,
    CTOML_ARRAY,
    CTOML_STRING,
    CTOML_INTEGER,
    CTOML_FLOAT,
    CTOML_BOOL,
    CTOML_DATE,
    CTOML_TIME,
    CTOML_DATE_TIME,
} ctoml_kind;

/* UTF-8, not ended by a NUL. */
typedef struct ctoml_text {
    const char *bytes;
    size_t length;
} ctoml_text;

typedef struct ctoml_value {
    ctoml_kind kind;
    ctoml_text key;  /* in a table; else empty */
    ctoml_text text; /* a string, or a date or time as a file writes it; else empty */
    int64_t integer; /* 0 or 1 of a bool */
    double number;
    unsigned line; /* where it begins, from 1; 0 if that is not known */
    size_t children; /* so many values with all below them come next */
} ctoml_value;

typedef struct ctoml_document ctoml_document;

/* Never null but when memory is short. Free it with ctoml_free. */
ctoml_document *ctoml_parse(const char *bytes, size_t length);
void ctoml_free(ctoml_document *document);

/* The top table and, depth first, all that is below it; none when the text is not TOML. */
const ctoml_value *ctoml_values(const ctoml_document *document, size_t *count);

/* Why the text is not TOML; line and column count from 1, and are 0 where they are not known. */
ctoml_text ctoml_error(const ctoml_document *document, unsigned *line, unsigned *column);

#ifdef __cplusplus
}
#endif
