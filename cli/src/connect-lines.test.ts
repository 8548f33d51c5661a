import { expect, test } from "vitest";
import { clients, connectLine } from "./connect-lines.ts";

const connecting = { url: "http://127.0.0.1:4040", token: undefined, agent: "coder" };

test.each(clients)(
  "CONNECT-LINES-1: the line for %s is one line, and has no token but one that was made",
  (name) => {
    const plain = connectLine(name, connecting);
    const made = connectLine(name, { ...connecting, token: "aost_x" });

    expect(plain).not.toContain("\n");
    expect(plain).toContain("AOS_TOKEN");
    expect(made).toContain("aost_x");
    expect(plain).toContain("http://127.0.0.1:4040/");
  },
);

test("Cursor's is JSON for its mcp.json, which reads the environment", () => {
  const line = connectLine("cursor", connecting);

  expect(JSON.parse(line)).toEqual({
    mcpServers: {
      aos: {
        url: "http://127.0.0.1:4040/mcp",
        headers: { Authorization: "Bearer ${env:AOS_TOKEN}" },
      },
    },
  });
});
