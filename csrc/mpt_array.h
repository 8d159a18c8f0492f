/* Arrays that grow. */
#ifndef HEXARY_MPT_ARRAY_H
#define HEXARY_MPT_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Return *array*, moved to where there is room beyond *count*, if there is memory. */
static inline void *mpt_array_reserve(
    void *array, size_t *capacity, size_t count, size_t width
)
{
    size_t larger = *capacity == 0 ? 16 : *capacity;
    if (count > SIZE_MAX / 4 / width)
        return array;
    while (larger <= count)
        larger *= 2;
    void *moved = realloc(array, larger * width);
    if (moved == NULL)
        return array;
    *capacity = larger;
    return moved;
}

/* Whether an array of *self* has room beyond *count*, if need be after it has grown. */
#define MPT_RESERVE(self, array, capacity, count)                              \
    ((count) < (self)->capacity                                                \
     || ((self)->array = mpt_array_reserve((self)->array, &(self)->capacity,   \
                                           (count), sizeof *(self)->array),    \
         (count) < (self)->capacity))

#endif
