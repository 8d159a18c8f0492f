#include "binding.h"

#include <string.h>

void *array_new(size_t count, size_t width)
{
    void *array = PyMem_Calloc(count, width);
    if (array == NULL)
        PyErr_NoMemory();
    return array;
}

void *array_grow(void *array, const void *first, size_t *capacity, size_t width)
{
    if (*capacity > SIZE_MAX / 2 / width) {
        PyErr_NoMemory();
        return array;
    }
    const size_t size = *capacity * width;
    void *larger = PyMem_Realloc(array == first ? NULL : array, 2 * size);
    if (larger == NULL) {
        PyErr_NoMemory();
        return array;
    }
    if (array == first)
        memcpy(larger, first, size);
    *capacity *= 2;
    return larger;
}
