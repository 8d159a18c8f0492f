/*
 * Keccak: every kernel against the portable one: whole messages, running hashes fed in
 * pieces, batches of messages of several sizes, with their tally, and streams side by side.
 *
 * Input: the size of a piece, how the messages of the batch are handed over, their number
 * and sizes (two bytes each, the messages begin one byte after the other), and the data.
 */
#include "fuzz.h"

#include "keccak_batch.h"
#include "keccak_streams.h"

#define MOST_MESSAGES 24u
#define LONGEST 2000u

static void check_pieces(const keccak_kernel *kernel, const uint8_t *data, size_t size,
                         size_t piece)
{
    const keccak_kernel *portable = keccak_kernel_named("portable");
    uint8_t right[KECCAK512_SIZE], digest[KECCAK512_SIZE];
    keccak_state state;
    keccak256(portable, data, size, right);
    keccak256(kernel, data, size, digest);
    expect(memcmp(digest, right, KECCAK256_SIZE) == 0, "keccak256");
    keccak256_start(&state, kernel);
    for (size_t done = 0; done < size; done += piece)
        keccak_update(&state, data + done, piece < size - done ? piece : size - done);
    keccak_digest(&state, digest);
    expect(memcmp(digest, right, KECCAK256_SIZE) == 0, "keccak256 in pieces");
    keccak512(portable, data, size, right);
    keccak512_start(&state, kernel);
    for (size_t done = 0; done < size; done += piece)
        keccak_update(&state, data + done, piece < size - done ? piece : size - done);
    keccak_digest(&state, digest);
    expect(memcmp(digest, right, KECCAK512_SIZE) == 0, "keccak512 in pieces");
}

static void check_batch(const keccak_kernel *kernel, const uint8_t *data,
                        const size_t *sizes, unsigned count, unsigned ways)
{
    static keccak_batch batch;
    uint8_t digests[MOST_MESSAGES][KECCAK256_SIZE];
    uint8_t *rooms[MOST_MESSAGES];
    keccak_tally tally = {0, 0, 0};
    keccak_batch_start(&batch, kernel);
    for (unsigned index = 0; index < count; index++) {
        const size_t size = sizes[index], blocks = keccak256_blocks(size);
        const uint8_t *message = data + index;
        rooms[index] = NULL;
        tally.calls++;
        tally.bytes += size;
        tally.permutations += blocks;
        switch ((ways >> index % 7) % 4) {
        case 0:
            if (blocks <= KECCAK_BATCH_BLOCKS) {
                memcpy(keccak_batch_slot(&batch, blocks), message, size);
                keccak_batch_commit(&batch, size, digests[index]);
                break;
            }
            /* fall through */
        case 1:
            keccak_batch_add(&batch, message, size, digests[index]);
            break;
        case 2:
            rooms[index] = malloc(blocks * KECCAK256_RATE);
            if (rooms[index] == NULL)
                abort();
            memcpy(rooms[index], message, size);
            keccak_batch_add_in_place(&batch, rooms[index], size, digests[index]);
            break;
        default:
            if (blocks <= KECCAK_BATCH_BLOCKS) {
                keccak_batch_add(&batch, message, size, digests[index]);
            } else {
                uint8_t *given = malloc(size);
                if (given == NULL)
                    abort();
                memcpy(given, message, size);
                keccak_batch_give(&batch, given, size, digests[index]);
            }
        }
    }
    keccak_batch_flush(&batch);
    expect(memcmp(&batch.tally, &tally, sizeof tally) == 0, "the tally of a batch");
    for (unsigned index = 0; index < count; index++) {
        uint8_t right[KECCAK256_SIZE];
        keccak256(keccak_kernel_named("portable"), data + index, sizes[index], right);
        expect(memcmp(digests[index], right, sizeof right) == 0, "a digest of a batch");
        free(rooms[index]);
    }
}

/* Streams of the sizes of the messages, of one function or the other. */
static void check_streams(const keccak_kernel *kernel, const uint8_t *data,
                          const size_t *sizes, unsigned count, unsigned ways)
{
    uint64_t lanes[MOST_MESSAGES][25], right[MOST_MESSAGES][25];
    keccak_stream streams[MOST_MESSAGES];
    memset(lanes, 0x5c, sizeof lanes);
    memset(right, 0x5c, sizeof right);
    for (unsigned index = 0; index < count; index++) {
        const bool is_512 = (ways >> index % 7 & 1u) != 0;
        const size_t rate = is_512 ? KECCAK512_RATE : KECCAK256_RATE;
        const keccak_stream one = {lanes[index], data + index, sizes[index] / rate, rate};
        streams[index] = one;
        keccak_kernel_named("portable")->absorb(right[index], one.data, one.blocks, rate);
    }
    keccak_absorb_streams(kernel, streams, count);
    expect(memcmp(lanes, right, sizeof lanes) == 0, "streams side by side");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    reader input = {data, size};
    size_t sizes[MOST_MESSAGES];
    const size_t piece = read_byte(&input) + 1u;
    const unsigned ways = read_byte(&input);
    unsigned count = read_byte(&input) % (MOST_MESSAGES + 1);
    for (unsigned index = 0; index < count; index++)
        sizes[index] = (size_t)read_byte(&input) << 8 | read_byte(&input);
    size_t left = input.left;
    uint8_t *bytes = read_bytes(&input, &left);
    if (left > LONGEST)
        left = LONGEST;
    if (count > left)
        count = (unsigned)left;
    for (unsigned index = 0; index < count; index++)
        sizes[index] %= left - index + 1;
    for (size_t index = 0; keccak_kernel_at(index) != NULL; index++) {
        const keccak_kernel *kernel = keccak_kernel_at(index);
        if (!keccak_kernel_runs(kernel))
            continue;
        check_pieces(kernel, bytes, left, piece);
        check_batch(kernel, bytes, sizes, count, ways);
        check_streams(kernel, bytes, sizes, count, ways);
    }
    free(bytes);
    return 0;
}
