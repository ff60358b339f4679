#include <curl/curl.h>

/* Swift cannot call variadic functions: one for each type of value. */

static inline CURLcode curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_callback(
    CURL *handle, CURLoption option, size_t (*value)(char *, size_t, size_t, void *)) {
    return curl_easy_setopt(handle, option, value);
}

static inline long curl_response_code(CURL *handle) {
    long code = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
    return code;
}

/* The value of a header of the last answer; NULL if it has none. */
static inline const char *curl_header_value(CURL *handle, const char *name) {
    struct curl_header *header;
    return curl_easy_header(handle, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK ? header->value : NULL;
}

/* How the only transfer of a multi handle ended; -1 if it has not. */
static inline int curl_multi_result(CURLM *handle) {
    int left = 0;
    CURLMsg *message = curl_multi_info_read(handle, &left);
    return message && message->msg == CURLMSG_DONE ? (int)message->data.result : -1;
}
