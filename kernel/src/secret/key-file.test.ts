import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemPlatform } from "../platform/clock.ts";
import { loadOrCreateKeys, rotateKey } from "./key-file.ts";
import { parseSecretKey, type SecretKey, secretKey } from "./key.ts";

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "aos-secret-key-"));
  file = join(folder, "deep", "secret.key");
});
afterEach(() => rm(folder, { recursive: true }));

const load = () => loadOrCreateKeys(file, systemPlatform);

describe("the file", () => {
  test("FORMS-2: is made once, for its owner alone, with nothing beside it", async () => {
    const several = await Promise.all([load(), load(), load()]);

    expect(new Set(several.map(([key]) => key.id)).size).toBe(1);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, "deep"))).mode & 0o777).toBe(0o700);
    expect((await readFile(file)).equals(several[0]![0].bytes)).toBe(true);
    expect(await readdir(join(folder, "deep"))).toEqual(["secret.key"]);
  });

  test.each([0o640, 0o604, 0o620, 0o602])("FORMS-1: with the mode %o is refused", async (mode) => {
    await load();
    await chmod(file, mode);

    await expect(load()).rejects.toThrow(/other users can read the key file .*chmod 600/);
  });

  test("of a wrong length is refused", async () => {
    await load();
    await writeFile(file, "x".repeat(33));

    await expect(load()).rejects.toThrow("has 33 bytes, and a key has 32");
  });

  test("KEY-FILE-1: is replaced after every row is sealed with the new key", async () => {
    const [before] = await load();
    const asked: SecretKey[] = [];
    const vault = {
      rekey: async (key: SecretKey) => {
        asked.push(key);
        expect((await load()).map(({ id }) => id)).toEqual([before.id, key.id]);
        return 7;
      },
    };

    expect(await rotateKey(file, systemPlatform, vault)).toBe(7);

    expect((await load()).map(({ id }) => id)).toEqual([asked[0]!.id]);
    expect(asked[0]!.id).not.toBe(before.id);
  });

  test("KEY-FILE-1: a rotation that was cut short goes on with the same new key", async () => {
    const [before] = await load();
    const asked: string[] = [];
    const failing = {
      rekey: async ({ id }: SecretKey) => {
        asked.push(id);
        throw new Error("no power");
      },
    };
    await expect(rotateKey(file, systemPlatform, failing)).rejects.toThrow("no power");
    expect((await load()).map(({ id }) => id)).toEqual([before.id, asked[0]]);

    await rotateKey(file, systemPlatform, { rekey: async ({ id }) => asked.push(id) });

    expect(asked[1]).toBe(asked[0]);
    expect((await load()).map(({ id }) => id)).toEqual([asked[0]]);
  });
});

describe("the variable", () => {
  const bytes = Buffer.from(Array.from({ length: 32 }, (_, n) => n * 8));

  test("is read in hex and in base64", () => {
    for (const text of [
      bytes.toString("hex"),
      bytes.toString("hex").toUpperCase(),
      bytes.toString("base64"),
      bytes.toString("base64url"),
      ` ${bytes.toString("base64")}\n`,
    ])
      expect(parseSecretKey(text)).toEqual(secretKey(bytes));
  });

  test("is refused when it is anything else, without being shown", () => {
    for (const text of [
      "",
      "hunter2-hunter2",
      bytes.toString("hex").slice(2),
      `${bytes.toString("base64").slice(0, 20)}!!${bytes.toString("base64").slice(20)}`,
    ]) {
      expect(() => parseSecretKey(text)).toThrow("AOS_SECRET_KEY is not 32 bytes in hex or base64");
      if (text !== "") expect(() => parseSecretKey(text)).not.toThrow(text);
    }
  });

  test("has an id that tells nothing of the key", () => {
    expect(secretKey(bytes).id).toMatch(/^[0-9a-f]{16}$/);
    expect(bytes.toString("hex")).not.toContain(secretKey(bytes).id);
    expect(() => secretKey(bytes.subarray(1))).toThrow("32 bytes, not 31");
  });
});
