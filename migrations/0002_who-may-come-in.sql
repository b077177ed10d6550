CREATE TABLE `authorizations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`grant_id` text NOT NULL,
	`client_id` text NOT NULL,
	`client_name` text NOT NULL,
	`redirect_host` text NOT NULL,
	`server` text,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `authorizations_grant_id_unique` ON `authorizations` (`grant_id`);--> statement-breakpoint
CREATE TABLE `client_documents` (
	`id` text PRIMARY KEY NOT NULL,
	`document` text NOT NULL,
	`kept_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `consents` (
	`client_id` text NOT NULL,
	`redirect` text NOT NULL,
	`audience` text NOT NULL,
	`asked` text NOT NULL,
	`granted` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`client_id`, `redirect`, `audience`, `asked`)
);
--> statement-breakpoint
CREATE TABLE `oauth_clients` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text DEFAULT '' NOT NULL,
	`origin` text NOT NULL,
	`payload` text NOT NULL,
	`secret_hash` blob,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	CONSTRAINT "oauth_clients_secret" CHECK("oauth_clients"."secret_hash" is null or length("oauth_clients"."secret_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE `oauth_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`model` text NOT NULL,
	`payload` text NOT NULL,
	`grant_id` text,
	`uid_hash` text,
	`client_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`consumed_at` integer
);
--> statement-breakpoint
CREATE INDEX `oauth_tokens_grant` ON `oauth_tokens` (`grant_id`) WHERE "oauth_tokens"."grant_id" is not null;--> statement-breakpoint
CREATE INDEX `oauth_tokens_uid` ON `oauth_tokens` (`uid_hash`) WHERE "oauth_tokens"."uid_hash" is not null;--> statement-breakpoint
CREATE INDEX `oauth_tokens_expiry` ON `oauth_tokens` (`expires_at`) WHERE "oauth_tokens"."expires_at" is not null;--> statement-breakpoint
CREATE TABLE `login_failures` (
	`key` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`last_at` integer NOT NULL,
	`locked_until` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `one_time_codes` (
	`hash` blob PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`used_at` integer
);
--> statement-breakpoint
CREATE TABLE `operator_sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hash` blob NOT NULL,
	`user_agent` text DEFAULT '' NOT NULL,
	`address` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`revoked_at` integer,
	CONSTRAINT "operator_sessions_hash" CHECK(length("operator_sessions"."hash") = 32)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `operator_sessions_hash_unique` ON `operator_sessions` (`hash`);--> statement-breakpoint
CREATE TABLE `operators` (
	`id` integer PRIMARY KEY NOT NULL,
	`password_hash` text NOT NULL,
	`password_changed_at` integer NOT NULL,
	`totp_sealed` text,
	`totp_last_step` integer,
	`created_at` integer NOT NULL,
	CONSTRAINT "operators_single" CHECK("operators"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `secrets` (
	`name` text PRIMARY KEY NOT NULL,
	`sealed` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `audit` ADD `caller_kind` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `audit` ADD `client` text;--> statement-breakpoint
ALTER TABLE `audit` ADD `session` text;--> statement-breakpoint
ALTER TABLE `audit` ADD `address` text;--> statement-breakpoint
ALTER TABLE `audit` ADD `subject` text;