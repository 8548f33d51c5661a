// Answers about who may call.

import type { Answers } from "./answers.ts";

export const tokenAnswers: Pick<
  Answers,
  "accessTokens" | "createAccessToken" | "revokeAccessToken" | "loginKey" | "whoAmI"
> = {
  accessTokens: async ({ tokens }) => tokens.list(),
  async createAccessToken({ tokens, onAct }, wish, { caller }) {
    const made = tokens.create(wish);
    const { id, name, role, tenant } = made;
    onAct("an access token was made", { by: caller.name, id, name, role, tenant });
    return made;
  },
  async revokeAccessToken({ tokens, onAct }, { id }, { caller }) {
    const revoked = tokens.revoke(id);
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
  whoAmI: async (_desk, _args, { caller: { name, role, tenant } }) => ({ name, role, tenant }),
};
