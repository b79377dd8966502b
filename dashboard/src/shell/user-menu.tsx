import { Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { ChevronsUpDown, CircleUser, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react';
import { useSignOut } from './leave';
import { usePresent } from './session';

const SCHEMES = [
  { value: 'light', label: 'Light', Icon: Sun },
  { value: 'dark', label: 'Dark', Icon: Moon },
  { value: 'auto', label: 'As the system', Icon: Monitor },
] as const;

/** The person: their profile, how the page looks, and the way out. */
export function UserMenu() {
  const { user } = usePresent();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const navigate = useNavigate();
  const signOut = useSignOut();

  return (
    <Menu width={216} position="top-start" withinPortal={false}>
      <Menu.Target>
        <UnstyledButton className="switcher" aria-label={`Your menu: ${user.name}`}>
          <CircleUser size={20} aria-hidden />
          <Text component="bdi" size="sm" fw={500} truncate flex={1}>
            {user.name}
          </Text>
          <ChevronsUpDown size={15} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<UserRound size={16} />} onClick={() => navigate({ to: '/profile' })}>
          Profile and security
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        {SCHEMES.map(({ value, label, Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={16} />}
            onClick={() => setColorScheme(value)}
            aria-current={colorScheme === value}
            fw={colorScheme === value ? 600 : 400}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={16} />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
