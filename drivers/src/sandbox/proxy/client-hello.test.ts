import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { readClientHello } from "./client-hello.ts";
import { helloText } from "../../../../tests/helpers/drivers/client-hello.ts";

test("the name is read, in small letters", () => {
  const hello = readClientHello(helloText({ names: ["A.Example"], others: [[10, "xx"]] }));

  expect(hello).toEqual({ name: "a.example", hidesName: false });
});

test("no name is no name", () => {
  expect(readClientHello(helloText())).toEqual({ name: undefined, hidesName: false });
});

test("a hidden name is seen to be there", () => {
  const hello = readClientHello(helloText({ names: ["a.example"], others: [[0xfe0d, "x"]] }));

  expect(hello?.hidesName).toBe(true);
});

test("it may come in any number of pieces and records", () => {
  for (const recordBytes of [1, 7, 16_384]) {
    const whole = helloText({ names: ["a.example"], recordBytes });
    for (let end = 0; end < whole.length; end++)
      expect(readClientHello(whole.subarray(0, end))).toBeUndefined();
    expect(readClientHello(Buffer.concat([whole, Buffer.from("x")]))?.name).toBe("a.example");
  }
});

describe("CLIENT-HELLO-1: refused is", () => {
  const patched = (hello: Buffer, at: number, byte: number): Buffer => {
    const copy = Buffer.from(hello);
    copy[at] = byte;
    return copy;
  };
  const good = helloText({ names: ["a.example"] });
  const cases: [what: string, bytes: Buffer, why: RegExp][] = [
    ["another record", patched(good, 0, 0x17), /not TLS/],
    ["another version", patched(good, 1, 2), /not TLS/],
    ["an empty record", Buffer.from([0x16, 3, 1, 0, 0]), /not TLS/],
    ["a record that is too long", Buffer.from([0x16, 3, 1, 0x40, 1]), /not TLS/],
    ["HTTP", Buffer.from("GET / HTTP/1.1"), /not TLS/],
    ["another message", patched(good, 5, 2), /is not a ClientHello/],
    ["a message that is too long", patched(good, 6, 2), /too long/],
    ["a name twice", helloText({ names: ["a.example", "b.example"] }), /more than one/],
    [
      "an extension twice",
      helloText({
        others: [
          [7, ""],
          [7, ""],
        ],
      }),
      /is repeated/,
    ],
    ["names twice", helloText({ names: ["a.example"], others: [[0, ""]] }), /is repeated/],
    ["another kind of name", helloText({ names: ["a.example"], nameKind: 1 }), /no host/],
    ["an empty list of names", helloText({ names: [] }), /malformed/],
    ["an empty name", helloText({ names: [""] }), /an invalid host/],
    ["a zero in the name", helloText({ names: ["a.example\0.evil"] }), /an invalid host/],
    ["a name outside ASCII", helloText({ names: ["\xe4.example"] }), /an invalid host/],
    ["a name that is too long", helloText({ names: ["x".repeat(254)] }), /an invalid host/],
    ["bytes after the extensions", helloText({ afterExtensions: "x" }), /malformed/],
    ["a length that leads out of it", patched(good, 5 + 4 + 34, 200), /malformed/],
  ];
  test.each(cases)("%s", (_what, bytes, why) => {
    expect(() => readClientHello(bytes)).toThrow(why);
  });
});

test("CLIENT-HELLO-2: it is not collected for ever", () => {
  const endless = helloText({
    names: ["a.example"],
    recordBytes: 1,
    others: [[9, "x".repeat(60_000)]],
  });

  expect(() => readClientHello(endless.subarray(0, 65_537))).toThrow(/too long/);
});
