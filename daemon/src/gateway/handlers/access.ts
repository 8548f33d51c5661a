// Handlers of operations about access tokens. The ledger records a change before it is reported.

import type { accessOperations } from "@aos/protocol";
import type { HandlersOf } from "./handler.ts";

export const accessHandlers: HandlersOf<typeof accessOperations> = {
  accessTokens: async ({ tokens }) => tokens.list(),
  async createAccessToken({ kernel, tokens, onAct }, request, { caller }) {
    if (request.tenant !== undefined) await kernel.status({ tenant: request.tenant }); // there is one
    const made = tokens.create(request);
    const { id, name, role, tenant, expiresAt } = made;
    await kernel.enter("token.create", caller.name, { id, name, role, tenant, expiresAt });
    onAct("an access token was created", { by: caller.name, id, name, role, tenant });
    return made;
  },
  async revokeAccessToken({ kernel, tokens, onAct }, { id }, { caller }) {
    const revoked = tokens.revoke(id);
    await kernel.enter("token.revoke", caller.name, revoked);
    onAct("an access token was revoked", { by: caller.name, ...revoked });
    return revoked;
  },
  async loginKey({ tokens, url }, _, { caller }) {
    const { key, expiresAt } = tokens.loginKey(caller);
    const address = url();
    return {
      key,
      url: address === null ? null : `${address}/#key=${key}`,
      expiresAt: new Date(expiresAt).toISOString(),
    };
  },
  whoAmI: async (_gateway, _args, { caller: { name, role, tenant } }) => ({ name, role, tenant }),
};
