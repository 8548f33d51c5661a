// V8 flags of the daemon. The benches use the same flags.
//
//   max-semi-space-size      a young generation that holds the calls in progress and shrinks after a burst
//   heap-growing-percent     V8 collects when the heap is 1.5 times the live size of the last collection; without it
//                            the heap of a busy daemon grows as long as memory is available
//   no pretenuring           when many agents start at once, their first calls overlap; V8 then allocates all later
//                            calls in the old generation, where they keep their references alive (a quarter of
//                            the CPU of a call)

export const HEAP_FLAGS: readonly string[] = [
  "--max-semi-space-size=16",
  "--heap-growing-percent=50",
  "--no-allocation-site-pretenuring",
];
