import { Avatar, Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Check, ChevronsUpDown, CircleUser, LogOut, UserRound } from 'lucide-react';
import { useChooseAccount, useSignOut } from './leave';
import { useSession } from './session';

const SCHEMES = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
] as const;

export function UserMenu() {
  const { user } = useSession();
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
        {SCHEMES.map(({ value, label }) => (
          <Menu.RadioItem
            key={value}
            value={value}
            checked={colorScheme === value}
            onChange={() => setColorScheme(value)}
            checkIcon={<Check size={15} />}
            closeMenuOnClick
          >
            {label}
          </Menu.RadioItem>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={16} />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Shows the current account, as a menu if the user has several. */
export function AccountSwitcher() {
  const { account, accounts } = useSession();
  const choose = useChooseAccount();
  if (accounts.length < 2) {
    return (
      <div className="switcher">
        <AccountName name={account.name} />
      </div>
    );
  }
  return (
    <Menu width="target" position="bottom-start" withinPortal={false}>
      <Menu.Target>
        <UnstyledButton className="switcher">
          <span className="visually-hidden">Account: </span>
          <AccountName name={account.name} />
          <ChevronsUpDown size={15} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Accounts</Menu.Label>
        {accounts.map(({ id, name }) => (
          <Menu.Item
            key={id}
            onClick={() => choose(id)}
            rightSection={id === account.id ? <Check size={15} aria-label="Current" /> : null}
          >
            <Text component="bdi" size="sm" lineClamp={2}>
              {name}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function AccountName({ name }: { name: string }) {
  return (
    <>
      <Avatar size={26} radius="md" color="evergreen" variant="filled" aria-hidden>
        {[...name][0]?.toUpperCase()}
      </Avatar>
      <Text component="bdi" size="sm" fw={600} truncate flex={1} title={name}>
        {name}
      </Text>
    </>
  );
}
