// What the conformance suite wants to find on a server (conformance/) is on no server but that of its test.

import { expect, onTestFinished, test, vi } from "vitest";
import { openFrontDoor } from "../gateway/front-door.ts";
import { connect } from "./mcp-caller.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

test("a daemon has no fixtures, and nobody whom nobody knows", async () => {
  const usual = await openFrontDoor();
  onTestFinished(() => usual.close());
  const client = await connect(usual, usual.token("operator"), "2025-11-25");

  const { tools } = await client.listTools();
  const { resources } = await client.listResources();

  expect(tools.filter(({ name }) => name.startsWith("test_"))).toEqual([]);
  expect(resources.filter(({ uri }) => uri.startsWith("test:"))).toEqual([]);
  await expect(client.callTool({ name: "test_simple_text" })).rejects.toThrow();
  await expect(client.readResource({ uri: "test://static-text" })).rejects.toThrow();
  expect(client.getServerCapabilities()).not.toHaveProperty("prompts");
  expect((await usual.ask("POST", "/mcp", { body: {} })).status).toBe(401);
});
