import { Avatar, Menu, Text, UnstyledButton } from '@mantine/core';
import { Check, ChevronsUpDown } from 'lucide-react';
import { useChooseAccount } from './leave';
import { useSession } from './session';

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
