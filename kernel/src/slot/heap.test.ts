import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Heap, type HeapEntry } from "./heap.ts";

interface Item extends HeapEntry {
  value: number;
}

const step = fc.oneof(
  fc.record({ kind: fc.constant("add" as const), value: fc.integer({ min: 0, max: 20 }) }),
  fc.record({ kind: fc.constant("remove" as const), which: fc.nat() }),
  fc.record({ kind: fc.constant("change" as const), which: fc.nat(), value: fc.integer() }),
);

test("the first is always the least, whatever came, left and changed", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const heap = new Heap<Item>((a, b) => a.value < b.value);
      const there: Item[] = [];
      for (const one of steps) {
        if (one.kind === "add") {
          const item = { rank: -1, value: one.value };
          there.push(item);
          heap.add(item);
        } else if (there.length > 0) {
          const at = one.which % there.length;
          const item = there[at]!;
          if (one.kind === "remove") {
            there.splice(at, 1);
            heap.remove(item);
            expect(item.rank).toBe(-1);
          } else {
            item.value = one.value;
            heap.moved(item);
          }
        }
        expect(heap.size).toBe(there.length);
        expect(heap.first?.value).toBe(
          there.length === 0 ? undefined : Math.min(...there.map(({ value }) => value)),
        );
      }
      expect(new Set(heap.all())).toEqual(new Set(there));
    }),
  );
});
