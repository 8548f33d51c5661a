// Lines: the cutting does not depend on the pieces that the bytes come in.

import { array, assert, nat, property, string } from "fast-check";
import { expect, test } from "vitest";
import { LineReader } from "./lines.ts";

const piecesOf = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  );
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
};

test("whatever the pieces, the lines are the same, and a line over the limit is refused", () => {
  const text = string({ maxLength: 30 }).map((line) => line.replaceAll("\n", ""));
  assert(
    property(array(text), text, array(nat()), nat(60), (whole, rest, cuts, max) => {
      const reader = new LineReader(max);
      const heard: string[] = [];
      let refused = false;
      for (const piece of piecesOf(Buffer.from([...whole, rest].join("\n")), cuts)) {
        const { lines, tooLong } = reader.take(piece);
        heard.push(...lines.map((line) => line.toString()));
        refused = tooLong;
        if (refused) break;
      }

      const longest = [...whole, rest].findIndex((line) => Buffer.byteLength(line) > max);
      expect(refused).toBe(longest >= 0);
      expect(heard).toEqual(longest >= 0 ? whole.slice(0, longest) : whole);
      if (!refused) expect(reader.inMidLine).toBe(rest !== "");
    }),
  );
});
