// What a carrier of hints brings is read as keys, or not at all (WAKE-CHANNEL-2).

import { expect, test } from "vitest";
import { readHint } from "./wake-channel.ts";

test("a hint is who says it, and keys", () => {
  expect(readHint('{"from":"a","keys":[1,2]}')).toEqual({ from: "a", keys: [1, 2] });
});

test.each([
  "",
  "null",
  "1",
  "{}",
  '{"keys":[1]}',
  '{"from":1,"keys":[1]}',
  '{"from":"a","keys":{"length":1}}',
  '{"from":"a","keys":["1"]}',
  '{"from":"a","keys":[0]}',
  '{"from":"a","keys":[-1]}',
  '{"from":"a","keys":[1.5]}',
  '{"from":"a","keys":[1e300]}',
  '{"from":"a","keys":[[1]]}',
])("%s is none", (text) => {
  expect(readHint(text)).toBeUndefined();
});
