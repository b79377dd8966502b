import type { BetterAuthPlugin } from 'better-auth';
import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { z } from 'zod';

/** A session without a password, for whoever has just chosen it. It is nobody's to call: no route leads there. */
export const beginSession = {
  id: 'begin-session',
  endpoints: {
    beginSession: createAuthEndpoint(
      '/begin-session',
      { method: 'POST', body: z.object({ userId: z.string() }) },
      async (context) => {
        const { internalAdapter } = context.context;
        const user = await internalAdapter.findUserById(context.body.userId);
        if (!user) throw new Error('Nobody is there to begin a session');
        await setSessionCookie(context, { session: await internalAdapter.createSession(user.id), user });
        return context.json({});
      },
    ),
  },
} satisfies BetterAuthPlugin;
