import { expect, test } from "vitest";
import type { CallOperation } from "../operations-as.ts";
import { approvalToolRows, withoutApproval } from "./approval-tools.ts";

const never = new AbortController().signal;
const asked: unknown[] = [];
const ask = (async (name: string, args: object) =>
  void asked.push([name, args])) as unknown as CallOperation;

test("MCP-SERVER-SERVER-3: without leave no answer but a no goes through, whichever way it comes", async () => {
  const held = withoutApproval(ask, false);

  for (const choice of ["yes", "approve", "allow", "retry", "Yes, delete it", "NO"])
    await expect(held("answer", { id: "q", choice }, never)).rejects.toMatchObject({
      code: "EACCES",
    });
  expect(asked).toEqual([]);
  await held("answer", { id: "q", choice: "deny" }, never);
  await held("questions", {}, never);
  expect(asked).toHaveLength(2);
});

test("MCP-SERVER-SERVER-3: approve is a tool only where it is allowed", () => {
  const names = (mayApprove: boolean) => approvalToolRows(mayApprove).map(({ tool }) => tool.name);

  expect(names(false)).toEqual(["list_approvals", "deny"]);
  expect(names(true)).toEqual(["list_approvals", "approve", "deny"]);
});
