import type { Role } from '../../api/types';

export const ROLES: Record<Role, string> = { member: 'Member', administrator: 'Administrator' };
