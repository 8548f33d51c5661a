// How the daemon's heap is kept. The benches start their own processes the same way.
//
//   max-semi-space-size      a nursery that holds the calls under way, and gives its memory back after a burst
//   heap-growing-percent     V8 collects when the heap is half as much again as what lived after the last time;
//                            without it, where memory is plenty, the daemon grows for as long as it is busy
//   no pretenuring           agents that start together have their first calls under way at the same moment, from
//                            which V8 concludes that calls live long, and makes all later ones in the old
//                            generation: there they keep alive what they refer to (a quarter of a call's CPU)

export const HEAP_FLAGS: readonly string[] = [
  "--max-semi-space-size=16",
  "--heap-growing-percent=50",
  "--no-allocation-site-pretenuring",
];
