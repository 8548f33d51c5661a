import { generateKeyPairSync } from "node:crypto";
import { chmod, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadOrCreateSigner } from "./signer.ts";
import { temporaryFolder } from "../../../tests/helpers/kernel/tlog.ts";

test("a key is made once, and the same key is loaded ever after", async () => {
  const keyFile = join(await temporaryFolder(), "keys", "log.pem");

  const made = await loadOrCreateSigner(keyFile, "log");
  const loaded = await loadOrCreateSigner(keyFile, "log");

  expect(loaded.verifierKey).toBe(made.verifierKey);
  expect(made.verifierKey).toMatch(/^log\+[0-9a-f]{8}\+A[A-Za-z0-9+/]{43}$/u);
  expect(loaded.sign(Buffer.from("text"))).toEqual(made.sign(Buffer.from("text")));
});

test("the key file is a PKCS8 PEM for its owner alone, and nothing else is left beside it", async () => {
  const folder = await temporaryFolder();

  await loadOrCreateSigner(join(folder, "log.pem"), "log");

  expect((await stat(join(folder, "log.pem"))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(folder, "log.pem"), "utf8")).toMatch(
    /^-----BEGIN PRIVATE KEY-----\n/u,
  );
  expect(await readdir(folder)).toEqual(["log.pem"]);
});

test.each([0o640, 0o604, 0o620, 0o644])(
  "a key file of mode %o is refused (PRIVATE-FILE-1)",
  async (mode) => {
    const keyFile = join(await temporaryFolder(), "log.pem");
    await loadOrCreateSigner(keyFile, "log");
    await chmod(keyFile, mode);

    const loading = loadOrCreateSigner(keyFile, "log");

    await expect(loading).rejects.toThrow("other users can read the key file");
  },
);

test("many that create the key at once all have the same one (PRIVATE-FILE-2)", async () => {
  const keyFile = join(await temporaryFolder(), "log.pem");

  const signers = await Promise.all(
    Array.from({ length: 8 }, () => loadOrCreateSigner(keyFile, "log")),
  );

  expect(new Set(signers.map((signer) => signer.verifierKey)).size).toBe(1);
});

test("a broken key file, or one of another kind of key, is refused and not replaced", async () => {
  const keyFile = join(await temporaryFolder(), "log.pem");
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

  await writeFile(keyFile, "-----BEGIN PRIVATE KEY-----\nhalf", { mode: 0o600 });
  await expect(loadOrCreateSigner(keyFile, "log")).rejects.toThrow("holds no private key in PEM");
  await writeFile(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
  await expect(loadOrCreateSigner(keyFile, "log")).rejects.toThrow("is ec, not ed25519");
});
