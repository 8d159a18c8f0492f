/*
 * Runs a harness once on each file of the command line, where there is no libFuzzer:
 * `make check-c` replays the corpora with it, under the sanitizers.
 */
#include "fuzz.h"

static void replay(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(name);
        exit(2);
    }
    const long size = ftell(file);
    rewind(file);
    uint8_t *data = size < 0 ? NULL : malloc(size > 0 ? (size_t)size : 1);
    if (data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "%s cannot be read\n", name);
        exit(2);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
}

int main(int count, char **arguments)
{
    if (count < 2) {
        fprintf(stderr, "no files to replay\n");
        return 2;
    }
    for (int index = 1; index < count; index++)
        replay(arguments[index]);
    printf("%d inputs replayed\n", count - 1);
    return 0;
}
