import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "@aos/protocol";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { checkConfigText } from "../config.ts";
import { addProvider } from "./add-provider.ts";

let file: string;
let sealed: { name: string; value: string; bindings: Json[] }[];

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "aos-provider-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  file = join(folder, "config.yaml");
  sealed = [];
});

const KEY = "sk-0123456789abcdef";

const add = (request: Parameters<typeof addProvider>[0]) =>
  addProvider(request, {
    file,
    check: (text) => checkConfigText(text, file),
    seal: async (secret) => void sealed.push(secret),
  });

const written = (): string => readFileSync(file, "utf8");

test("ADD-PROVIDER-1: comments, order and other fields of the file stay", async () => {
  writeFileSync(
    file,
    `# ours
log: { level: debug } # loud
providers:
  # the old machine
  lab:
    type: openai-compatible
    baseUrl: http://127.0.0.1:1/v1 # here
    concurrency: 2
`,
  );

  await add({ name: "lab", type: "openai-compatible", baseUrl: "http://127.0.0.1:2/v1" });

  expect(written()).toBe(`# ours
log: { level: debug } # loud
providers:
  # the old machine
  lab:
    type: openai-compatible
    baseUrl: http://127.0.0.1:2/v1 # here
    concurrency: 2
    key: false
`);
});

test("ADD-PROVIDER-2: the file is its owner's only, and a link stays one", async () => {
  const elsewhere = `${file}.real`;
  writeFileSync(elsewhere, "");
  symlinkSync(elsewhere, file);

  await add({ name: "openai", type: "openai" });

  expect(statSync(elsewhere).mode & 0o777).toBe(0o600);
  expect(readFileSync(elsewhere, "utf8")).toBe("providers:\n  openai:\n    type: openai\n");
});

test("ADD-PROVIDER-2: what would not be read again is not written, and no key is sealed", async () => {
  const taken = add({ name: "replay", type: "openai", key: KEY });
  await expect(taken).rejects.toThrow("replay is reserved");

  expect(existsSync(file)).toBe(false);
  expect(sealed).toEqual([]);
});

test("ADD-PROVIDER-2: a file with nothing where the providers should be is not written", async () => {
  writeFileSync(file, "providers:\n");

  await expect(add({ name: "openai", type: "openai" })).rejects.toMatchObject({ code: "EINVAL" });
});

test("ADD-PROVIDER-2: a file that is wrong already is not touched", async () => {
  writeFileSync(file, "provider: {}\n");

  await expect(add({ name: "openai", type: "openai" })).rejects.toThrow("provider: unknown field");

  expect(written()).toBe("provider: {}\n");
});

test("ADD-PROVIDER-3: the key is sealed for the provider's address and header, and is in no file", async () => {
  const added = await add({ name: "anthropic", type: "anthropic", key: KEY });

  expect(added).toEqual({ name: "anthropic", file, secret: "ANTHROPIC_API_KEY" });
  expect(sealed).toEqual([
    {
      name: "ANTHROPIC_API_KEY",
      value: KEY,
      bindings: [{ kind: "header", origin: "https://api.anthropic.com", header: "x-api-key" }],
    },
  ]);
  expect(written()).not.toContain(KEY);
});

test("ADD-PROVIDER-3: where sealing fails the file does not speak of it", async () => {
  const failing = addProvider(
    { name: "openai", type: "openai", key: KEY },
    { file, check: () => {}, seal: () => Promise.reject(new Error("no")) },
  );

  await expect(failing).rejects.toThrow("no");
  expect(existsSync(file)).toBe(false);
});

test("a new key for a server that was moved is bound to where it is", async () => {
  writeFileSync(
    file,
    "providers:\n  openai: { type: openai, baseUrl: 'https://eu.example/v1', key: MINE }\n",
  );

  const { secret } = await add({ name: "openai", type: "openai", key: KEY });

  expect(secret).toBe("MINE");
  expect(sealed[0]).toMatchObject({ name: "MINE", bindings: [{ origin: "https://eu.example" }] });
  expect(written()).toContain("https://eu.example/v1");
});

test("another type does not keep the old one's address", async () => {
  writeFileSync(file, "providers:\n  x: { type: openai, baseUrl: 'https://eu.example/v1' }\n");

  await add({ name: "x", type: "google", key: KEY });

  expect(written()).not.toContain("eu.example");
  expect(sealed[0]).toMatchObject({
    bindings: [{ origin: "https://generativelanguage.googleapis.com", header: "x-goog-api-key" }],
  });
});

test("a server that speaks OpenAI's protocol has to be somewhere, and may need no key", async () => {
  const nowhere = add({ name: "lab", type: "openai-compatible" });
  await expect(nowhere).rejects.toThrow("needs the URL of its server");

  const added = await add({ name: "lab", type: "openai-compatible", baseUrl: "http://gpu.lan/v1" });

  expect(added.secret).toBeNull();
  expect(written()).toContain("key: false");
});
