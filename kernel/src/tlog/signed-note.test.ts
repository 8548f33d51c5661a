import { expect, test } from "vitest";
import { formatVerifierKey, openNote, parseVerifierKey, signNote } from "./signed-note.ts";
import { LOG_NAME, temporarySigner } from "../../../tests/helpers/kernel/tlog.ts";

// From the documentation of Go's golang.org/x/mod/sumdb/note.
const neumannKey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const neumannText =
  "If you think cryptography is the answer to your problem,\n" +
  "then you don't know what your problem is.\n";
const neumannNote =
  `${neumannText}\n— PeterNeumann ` +
  "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

function opened(note: string, key: string): string {
  return openNote(Buffer.from(note), parseVerifierKey(key));
}

test("a note signed by Go's implementation is opened", () => {
  expect(opened(neumannNote, neumannKey)).toBe(neumannText);
});

test("verifier keys of Go's implementation are read and written", () => {
  const key = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8";
  const raw = Buffer.from(key.split("+").slice(2).join("+"), "base64").subarray(1);

  expect(parseVerifierKey(key).name).toBe("sum.golang.org");
  expect(formatVerifierKey("sum.golang.org", raw)).toBe(key);
});

test("what was signed is opened, empty lines and all", async () => {
  const signer = await temporarySigner();
  const text = "first\n\n— not a signature\n\nlast\n";

  expect(opened(signNote(text, signer), signer.verifierKey)).toBe(text);
});

test("no bit of a note can be turned (SIGNED-NOTE-1, SIGNED-NOTE-3)", async () => {
  const signer = await temporarySigner();
  const note = Buffer.from(signNote("text\n", signer));

  for (let bit = 0; bit < note.length * 8; bit += 1) {
    const turned = Buffer.from(note);
    turned[bit >> 3]! ^= 1 << (bit & 7);
    expect(() => openNote(turned, parseVerifierKey(signer.verifierKey)), `bit ${bit}`).toThrow();
  }
});

test("signatures of strangers are passed over, before and behind ours (SIGNED-NOTE-2)", async () => {
  const [ours, stranger] = [await temporarySigner(), await temporarySigner("example.com/witness")];
  const [text, line] = ["text\n", (note: string) => note.slice("text\n\n".length)];
  const [our, their] = [line(signNote(text, ours)), line(signNote(text, stranger))];

  expect(opened(`${text}\n${their}${our}${their}`, ours.verifierKey)).toBe(text);
  expect(() => opened(`${text}\n${their}`, ours.verifierKey)).toThrow("is not signed by the key");
});

test("another key of the same name does not count (SIGNED-NOTE-2)", async () => {
  const [ours, namesake] = [await temporarySigner(), await temporarySigner()];

  const note = signNote("text\n", namesake);

  expect(() => opened(note, ours.verifierKey)).toThrow(`is not signed by the key of "${LOG_NAME}"`);
});

test("a false signature of ours spoils the note, though a good one stands beside it (SIGNED-NOTE-2)", async () => {
  const signer = await temporarySigner();
  const good = signNote("text\n", signer);
  const other = signNote("other\n", signer).slice("other\n\n".length);

  expect(() => opened(good + other, signer.verifierKey)).toThrow("has a false signature");
});

test.each(["", "a b", "a+b", "a\nb", "a\u00a0b", "a\u2003b"])(
  "%j is refused as the name of a key",
  (name) => {
    expect(() => formatVerifierKey(name, Buffer.alloc(32))).toThrow("cannot be a key's name");
  },
);

test.each([
  neumannKey.replace("c74f20a3", "c74f20a4"),
  neumannKey.replace("PeterNeumann", "PeterNewmann"),
  neumannKey.slice(0, -1),
  neumannKey.replace("+AR", "+BR"),
  "",
])("the verifier key %j is refused", (key) => {
  expect(() => parseVerifierKey(key)).toThrow(/verifier key/u);
});
