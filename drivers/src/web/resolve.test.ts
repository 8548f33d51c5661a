import { describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import { checkedAddresses, resolveByMachine } from "./resolve.ts";
import { readUrl } from "./url.ts";

/** Allows the hosts of this list, by their exact text. */
const granting = (...hosts: string[]) =>
  deviceContextForTest({ grants: ({ resource }) => hosts.some((host) => resource === host) });

const check = (url: string, addresses: string[], context = granting()) =>
  checkedAddresses(readUrl(url), "get", context, async () => addresses);

describe("RESOLVE-2: an address that is not public", () => {
  test.each(["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fe80::1"])(
    "is refused behind a granted name: %s",
    async (address) => {
      const context = granting("api.example.com:443/v1");

      await expect(check("https://api.example.com/v1", [address], context)).rejects.toMatchObject({
        code: "EACCES",
      });
    },
  );

  test("is refused also as one of many, wherever it stands", async () => {
    for (const addresses of [
      ["8.8.8.8", "10.0.0.1"],
      ["10.0.0.1", "8.8.8.8"],
    ])
      await expect(check("https://api.example.com/", addresses)).rejects.toMatchObject({
        code: "EACCES",
      });
  });

  test("is taken when it is granted itself, with port and path", async () => {
    const context = granting("10.0.0.1:8080/v1", "[fd00::1]:8080/v1");
    const addresses = ["10.0.0.1", "fd00:0::1"];

    expect(await check("http://intranet:8080/v1", addresses, context)).toEqual(addresses);
    await expect(check("http://intranet:8081/v1", addresses, context)).rejects.toThrow();
    await expect(check("http://intranet:8080/v2", addresses, context)).rejects.toThrow();
  });

  test("is asked about when the URL names it, and nothing is looked up", async () => {
    const never = async () => {
      throw new Error("looked up");
    };
    const context = granting("127.0.0.1:80/", "[::1]:80/");

    expect(await checkedAddresses(readUrl("http://127.0.0.1/"), "get", context, never)).toEqual([
      "127.0.0.1",
    ]);
    expect(await checkedAddresses(readUrl("http://[::1]/"), "get", context, never)).toEqual([
      "::1",
    ]);
    await expect(
      checkedAddresses(readUrl("http://127.0.0.2/"), "get", context, never),
    ).rejects.toMatchObject({ code: "EACCES" });
  });
});

describe("RESOLVE-3: localhost", () => {
  test.each(["localhost", "app.localhost"])("%s is the loopback", async (host) => {
    expect(await check(`http://${host}/`, ["127.0.0.1", "::1"])).toEqual(["127.0.0.1", "::1"]);
  });

  test.each(["8.8.8.8", "10.0.0.1", "169.254.169.254"])("is never %s", async (address) => {
    const everything = deviceContextForTest();

    await expect(
      check("http://localhost/", ["127.0.0.1", address], everything),
    ).rejects.toMatchObject({ code: "EACCES" });
  });

  test("is no other name", async () => {
    await expect(check("http://notlocalhost/", ["127.0.0.1"])).rejects.toThrow();
    await expect(check("http://localhost.evil.com/", ["127.0.0.1"])).rejects.toThrow();
  });
});

test("a name without an address, or with what is none, is refused whatever is granted", async () => {
  const everything = deviceContextForTest();

  await expect(check("http://a/", [], everything)).rejects.toMatchObject({ code: "EUPSTREAM" });
  await expect(check("http://a/", ["fe80::1%1"], everything)).rejects.toMatchObject({
    code: "EACCES",
  });
});

test("the machine knows localhost", async () => {
  expect(await resolveByMachine("localhost")).toContain("127.0.0.1");
});
