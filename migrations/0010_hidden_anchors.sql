-- The rows that are locked while nobody has an address outlive everybody who had it, so from now on the address is not in them:
-- `value` is the keyed hash that `address_state` has. Those of before are taken away; a new one is made when it is needed.
delete from identifier where kind in ('email', 'phone');
