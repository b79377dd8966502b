import type { Role } from '../../api/types';

export const ROLES: { value: Role; label: string }[] = [
  { value: 'member', label: 'Member' },
  { value: 'administrator', label: 'Administrator' },
];

export function roleName(role: Role): string {
  return ROLES.find(({ value }) => value === role)?.label ?? role;
}
