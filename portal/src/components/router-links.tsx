// Mantine links bound to the router; the router keeps the scope (`for=`) in each.
import { Anchor, type AnchorProps, Button, type ButtonProps, NavLink, type NavLinkProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, forwardRef } from 'react';

type WithAnchorProps<P> = P & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof P>;

export const RouterLink = createLink(
  forwardRef<HTMLAnchorElement, WithAnchorProps<AnchorProps>>((props, ref) => <Anchor ref={ref} {...props} />),
);
export const RouterButton = createLink(
  forwardRef<HTMLAnchorElement, WithAnchorProps<ButtonProps>>((props, ref) => (
    <Button component="a" ref={ref} {...props} />
  )),
);
export const RouterNavLink = createLink(
  forwardRef<HTMLAnchorElement, WithAnchorProps<NavLinkProps>>((props, ref) => (
    <NavLink component="a" ref={ref} {...props} />
  )),
);
