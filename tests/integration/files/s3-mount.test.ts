// An S3 bucket as a mount, against a real server: prefixes, keys and refusals. The server knows its access keys, and
// neither checks signatures nor makes pages on this Node; those are held against published examples
// (drivers/src/mounts/s3-signature.test.ts, s3-mount.test.ts).

import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createEgress } from "@aos/drivers";
import { s3Mount } from "@aos/drivers/parts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../helpers/drivers/device-context.ts";
import { peerCommand } from "../../peers/peer.ts";

const command = peerCommand("s3rver");

describe.skipIf(command === undefined)("an S3 mount (needs the peer s3rver)", () => {
  let server: ChildProcess;
  let folder: string;
  let url: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "aos-s3-"));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    server = spawn(
      process.execPath,
      [
        command!,
        "-d",
        folder,
        "-a",
        "127.0.0.1",
        "-p",
        String(port),
        "-s",
        "--configure-bucket",
        "docs",
      ],
      { stdio: "ignore" },
    );
    await untilUp(url);
    for (const key of ["a.md", "deep/b.md", "deep/c d+é.md"])
      await fetch(`${url}/docs/${key.split("/").map(encodeURIComponent).join("/")}`, {
        method: "PUT",
        body: `text of ${key}`,
      });
  });
  afterAll(async () => {
    server.kill("SIGKILL");
    await once(server, "close");
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });

  const mount = (more: { prefix?: string; accessKey?: string } = {}) =>
    s3Mount(
      {
        name: "s3",
        declaredBy: "config.yaml",
        declaration: {
          driver: "s3",
          url,
          bucket: "docs",
          region: "us-east-1",
          prefix: "",
          accessKey: "S3RVER",
          secretKey: "S3_KEY",
          ...more,
        },
      },
      createEgress(),
    );
  const context = (value = "S3RVER") =>
    deviceContextForTest({ grants: ({ kind }) => kind === "secret", secrets: () => value });

  test("objects are listed and read, keys with spaces and signs included", async () => {
    const listed = await mount().list({ call: "list", path: "" }, context());

    expect(listed).toEqual({ paths: ["a.md", "deep/b.md", "deep/c d+é.md"], next: null });
    expect(await mount().read({ call: "read", path: "a.md" }, context())).toBe("text of a.md");
    expect(await mount().read({ call: "read", path: "deep/c d+é.md" }, context())).toBe(
      "text of deep/c d+é.md",
    );
  });

  test("a folder and a prefix show what is below them", async () => {
    const below = await mount().list({ call: "list", path: "deep" }, context());
    const prefixed = await mount({ prefix: "deep/" }).list({ call: "list", path: "" }, context());

    expect(below.paths).toEqual(["deep/b.md", "deep/c d+é.md"]);
    expect(prefixed.paths).toEqual(["b.md", "c d+é.md"]);
  });

  test("an access key that the server does not know is EUPSTREAM with the server's code", async () => {
    const reading = mount({ accessKey: "NOBODY" }).read(
      { call: "read", path: "a.md" },
      context("secret-key-value"),
    );

    await expect(reading).rejects.toMatchObject({
      code: "EUPSTREAM",
      message: expect.stringContaining("InvalidAccessKeyId") as unknown,
    });
    await expect(reading).rejects.not.toMatchObject({
      message: expect.stringContaining("secret-key-value") as unknown,
    });
  });

  test("what is not there is ENOENT, and dots are refused", async () => {
    await expect(mount().read({ call: "read", path: "none" }, context())).rejects.toMatchObject({
      code: "ENOENT",
    });
    await expect(
      mount().read({ call: "read", path: "../other/x" }, context()),
    ).rejects.toMatchObject({ code: "EINVAL" });
  });

  test("the secret is asked for the origin of the server only, and never sent", async () => {
    const asked = context();

    await mount().read({ call: "read", path: "a.md" }, asked);

    expect(asked.places).toEqual([{ kind: "header", origin: url, header: "authorization" }]);
  });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

async function untilUp(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return;
    await sleep(100);
  }
  throw new Error("the S3 server did not start");
}
