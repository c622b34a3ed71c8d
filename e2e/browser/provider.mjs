// An OpenID Connect provider for tests: npm's oidc-provider, which is certified, with its pages for
// development. One JSON document on standard input says what it is:
//
//   {"port": 3000, "client_id": "koya", "client_secret": "…", "redirect_uris": [URL],
//    "accounts": {"LOGIN": {"preferred_username": …, "email": …, "groups": […]}}}
//
// Any password is taken. "ready" on standard output when it answers; it ends with standard input.
import { once } from "node:events";
import readline from "node:readline";
import Provider from "oidc-provider";

const lines = readline.createInterface({ input: process.stdin });
const [line] = await once(lines, "line");
const wish = JSON.parse(line);

const provider = new Provider(`http://127.0.0.1:${wish.port}`, {
  clients: [
    {
      client_id: wish.client_id,
      client_secret: wish.client_secret,
      redirect_uris: wish.redirect_uris,
      grant_types: ["authorization_code"],
      response_types: ["code"],
    },
  ],
  pkce: { required: () => true },
  claims: {
    openid: ["sub"],
    profile: ["preferred_username"],
    email: ["email", "email_verified"],
    groups: ["groups"],
  },
  // What was asked for by scope stands in the ID token, too: nobody asks for more afterwards.
  conformIdTokenClaims: false,
  cookies: { keys: ["only for tests"] },
  findAccount: (_context, login) => ({
    accountId: login,
    claims: () => ({ sub: login, ...(wish.accounts[login] ?? {}) }),
  }),
});

const server = provider.listen(wish.port, "127.0.0.1", () => process.stdout.write("ready\n"));
lines.on("close", () => {
  server.closeAllConnections();
  server.close();
});
