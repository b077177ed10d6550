CREATE TABLE `context_ledger` (
	`day` integer NOT NULL,
	`caller` text NOT NULL,
	`client` text NOT NULL,
	`mount` text NOT NULL,
	`lists` integer DEFAULT 0 NOT NULL,
	`list_bytes` integer DEFAULT 0 NOT NULL,
	`direct_bytes` integer DEFAULT 0 NOT NULL,
	`discovers` integer DEFAULT 0 NOT NULL,
	`discover_bytes` integer DEFAULT 0 NOT NULL,
	`errors` integer DEFAULT 0 NOT NULL,
	`error_bytes` integer DEFAULT 0 NOT NULL,
	`replies` integer DEFAULT 0 NOT NULL,
	`reply_bytes` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`day`, `caller`, `client`, `mount`)
);
