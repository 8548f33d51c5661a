import * as fc from "fast-check";
import { expect, test } from "vitest";
import { encodeArgs, type ChainMark, type EncodedText } from "./codec.ts";

const encoded = (messages: readonly unknown[], before?: ChainMark): EncodedText => {
  const args = JSON.parse(JSON.stringify({ model: "m", messages })) as never;
  return encodeArgs("infer", JSON.stringify(args), args, before);
};

test("CODEC-2: a chain that goes on has the blobs of what is new, and the same record", () => {
  const message = fc.record({ role: fc.constant("user"), content: fc.string() });
  const talk = fc.array(fc.oneof(message, fc.string(), fc.constant([]), fc.constant(null)));
  fc.assert(
    fc.property(talk, talk, talk, (before, after, other) => {
      const { chain } = encoded(before);
      for (const messages of [[...before, ...after], other, before.slice(1), [before]]) {
        const whole = encoded(messages);
        const further = encoded(messages, chain);

        expect(further.text).toBe(whole.text);
        expect(further.chain).toEqual(whole.chain);
        expect(whole.blobs.slice(-further.blobs.length || Infinity)).toEqual(further.blobs);
        const known = encoded(before).blobs.map(({ digest }) => digest);
        const put = further.blobs.map(({ digest }) => digest);
        for (const { digest } of whole.blobs) expect([...known, ...put]).toContain(digest);
      }
    }),
    { numRuns: 50 },
  );
});

test("CODEC-2: one message more is one blob", () => {
  const talk = Array.from({ length: 50 }, (_, turn) => ({ role: "user", content: `${turn}` }));

  const { chain } = encoded(talk);

  expect(encoded([...talk, { role: "user", content: "more" }], chain).blobs).toHaveLength(1);
  expect(encoded(talk, chain).blobs).toEqual([]);
  expect(encoded([{ role: "user", content: "other" }, ...talk.slice(1)], chain).blobs).toHaveLength(
    50,
  );
});
