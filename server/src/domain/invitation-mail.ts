import type { Mailer } from '../lib/mailer.ts';
import type { Invitation } from '../model/users.ts';

interface InvitationLetter extends Invitation {
  accountName: string;
  url: string;
}

/** Mails an invitation, where mail can be sent; whether the mail server has taken it. */
export async function mailInvitation(
  mailer: Mailer | undefined,
  invitation: InvitationLetter,
  onError: (error: unknown) => void,
): Promise<boolean> {
  if (mailer === undefined) return false;
  const { email, accountName } = invitation;
  try {
    await mailer({ to: email, subject: `Join ${accountName} on Property Listings`, text: letter(invitation) });
    return true;
  } catch (error) {
    onError(error);
    return false;
  }
}

function letter({ invitedBy, accountName, role, url, expiresAt }: InvitationLetter): string {
  return `${invitedBy} invites you to work with the property listings of ${accountName}, as ${role === 'member' ? 'a member' : 'an administrator'}.

Open this link to join. It works once, until ${new Date(expiresAt).toUTCString()}:

${url}

If you expect no invitation, leave this letter unanswered: nothing happens without you.
`;
}
