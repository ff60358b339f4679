/* Debian builds libxml2 with ICU, and its headers would bring in an ICU that is not Foundation's. */
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/xmlreader.h>
