-- The rules of time zones (the version of the tz database) by which local times were planned; null while that is not known.
alter table installation add column zone_rules text;
