/** Members work with listings; administrators also with keys, the team and the account. */
type Role = 'administrator' | 'member';

/** Who sends a request of the dashboard, for which account. */
export interface Administrator {
  sessionId: string;
  userId: string;
  userName: string;
  email: string;
  accountId: string;
  role: Role;
  /** Where the request comes from. */
  address: string;
}
