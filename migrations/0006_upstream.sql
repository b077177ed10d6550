CREATE TABLE `upstream_definitions` (
	`source` text NOT NULL,
	`abilities` text NOT NULL,
	`kind` text NOT NULL,
	`fingerprint` text NOT NULL,
	`body` text NOT NULL,
	`fetched_at` integer NOT NULL,
	PRIMARY KEY(`source`, `abilities`, `kind`)
);
