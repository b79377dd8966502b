import type { Mailer } from '../../lib/mailer.ts';
import type { Invitation } from '../../model/users.ts';

interface InvitationMail extends Invitation {
  accountName: string;
  url: string;
}

/** @returns whether the mail server accepted the mail; false if none is configured */
export async function mailInvitation(
  mailer: Mailer | undefined,
  invitation: InvitationMail,
  onError: (error: unknown) => void,
): Promise<boolean> {
  if (mailer === undefined) return false;
  const { email, accountName } = invitation;
  try {
    await mailer({ to: email, subject: `Join ${accountName} on Property Listings`, text: mailText(invitation) });
    return true;
  } catch (error) {
    onError(error);
    return false;
  }
}

function mailText({ invitedBy, accountName, role, url, expiresAt }: InvitationMail): string {
  return `${invitedBy} has invited you to work on the property listings of ${accountName} as ${role === 'member' ? 'a member' : 'an administrator'}.

Open this link to join. It works once, until ${new Date(expiresAt).toUTCString()}:

${url}

If you were not expecting this invitation, you can ignore this email.
`;
}
