CREATE TABLE `client_profiles` (
	`kind` text NOT NULL,
	`key` text NOT NULL,
	`profile` text,
	`mode` text,
	`budget_tokens` integer,
	`pins` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`kind`, `key`),
	CONSTRAINT "client_profiles_kind" CHECK("client_profiles"."kind" IN ('client', 'profile')),
	CONSTRAINT "client_profiles_mode" CHECK("client_profiles"."mode" IN ('router', 'direct', 'auto')),
	CONSTRAINT "client_profiles_one" CHECK(("client_profiles"."profile" IS NULL) <> ("client_profiles"."mode" IS NULL)),
	CONSTRAINT "client_profiles_named" CHECK("client_profiles"."kind" = 'client' OR "client_profiles"."profile" IS NULL),
	CONSTRAINT "client_profiles_budget" CHECK("client_profiles"."budget_tokens" > 0),
	CONSTRAINT "client_profiles_pins" CHECK(json_type("client_profiles"."pins") = 'array')
);
