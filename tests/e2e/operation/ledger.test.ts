// Who may call is what people decide, and so it is in the ledger: who made a token, revoked one, opened a session.

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openFrontDoor, type FrontDoor } from "../gateway/front-door.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let door: FrontDoor;
beforeAll(async () => {
  door = await openFrontDoor();
});
afterAll(() => door.close());

const entered = async (what: string) =>
  (await door.kernel.ledger()).filter((entry) => entry.what === what);

test("tokens that are made and revoked are in the ledger with who did it, and without the token", async () => {
  const by = door.token("operator", { name: "alice" });
  const wish = { role: "viewer", name: "grafana" };
  const made = await door.call("createAccessToken", wish, { token: by });
  const { id, token } = (await made.json()) as { id: string; token: string };

  await door.call("revokeAccessToken", { id }, { token: by });

  expect(await entered("token.create")).toMatchObject([
    { by: "alice", detail: { id, name: "grafana", role: "viewer", tenant: null } },
  ]);
  expect(await entered("token.revoke")).toMatchObject([{ by: "alice", detail: { id } }]);
  expect(JSON.stringify(await door.kernel.ledger())).not.toContain(token);
});

test("a session that is opened is in the ledger, and one that is refused is not", async () => {
  const token = door.token("approver", { name: "bob", tenant: "a" });

  const opened = await door.ask("POST", "/api/v1/session", { body: { token } });
  const refused = await door.ask("POST", "/api/v1/session", { body: { token: "aost_nonsense" } });

  expect([opened.status, refused.status]).toEqual([200, 401]);
  expect(await entered("session.open")).toMatchObject([
    { by: "bob", detail: { role: "approver", tenant: "a", with: "a token" } },
  ]);
});
