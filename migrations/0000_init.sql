CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`caller` text NOT NULL,
	`server` text NOT NULL,
	`tool` text NOT NULL,
	`effect` text NOT NULL,
	`outcome` text NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`duration_ms` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_at` ON `audit` (`at`);--> statement-breakpoint
CREATE TABLE `context_sections` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`section_key` text NOT NULL,
	`section_title` text NOT NULL,
	`content` text NOT NULL,
	`sort_order` integer DEFAULT 100 NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`device_id` text,
	`project_id` integer,
	`updated_at` integer NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	CONSTRAINT "context_sections_enabled" CHECK("context_sections"."enabled" IN (0, 1)),
	CONSTRAINT "context_sections_key" CHECK("context_sections"."section_key" <> '')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `context_sections_global` ON `context_sections` (`section_key`) WHERE device_id IS NULL AND project_id IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `context_sections_device` ON `context_sections` (`section_key`,`device_id`) WHERE device_id IS NOT NULL AND project_id IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `context_sections_project` ON `context_sections` (`section_key`,`project_id`) WHERE device_id IS NULL AND project_id IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `context_sections_device_project` ON `context_sections` (`section_key`,`device_id`,`project_id`) WHERE device_id IS NOT NULL AND project_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `context_sections_order` ON `context_sections` (`sort_order`,`id`);--> statement-breakpoint
CREATE TABLE `dreams` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`created_at` integer NOT NULL,
	`caller` text NOT NULL,
	`undo` text NOT NULL,
	`undone_at` integer
);
--> statement-breakpoint
CREATE TABLE `memories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uid` text NOT NULL,
	`content` text NOT NULL,
	`category` text DEFAULT 'general' NOT NULL,
	`context` text,
	`source` text,
	`importance` integer DEFAULT 5 NOT NULL,
	`project_id` integer,
	`instance_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`accessed_at` integer,
	`access_count` integer DEFAULT 0 NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`deleted_at` integer,
	`lamport` integer DEFAULT 0 NOT NULL,
	CONSTRAINT "memories_importance" CHECK("memories"."importance" BETWEEN 1 AND 10),
	CONSTRAINT "memories_access_count" CHECK("memories"."access_count" >= 0),
	CONSTRAINT "memories_version" CHECK("memories"."version" >= 1)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `memories_uid_unique` ON `memories` (`uid`);--> statement-breakpoint
CREATE INDEX `memories_created` ON `memories` (`created_at`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `memories_importance_order` ON `memories` (`importance`,`created_at`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `memories_accessed` ON `memories` (`accessed_at`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `memories_category` ON `memories` (`category`,`created_at`,`importance`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `memories_project` ON `memories` (`project_id`,`created_at`) WHERE project_id IS NOT NULL AND deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `memories_deleted` ON `memories` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `memory_embeddings` (
	`memory_id` integer PRIMARY KEY NOT NULL,
	`model` text NOT NULL,
	`dim` integer NOT NULL,
	`vector` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`memory_id`) REFERENCES `memories`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "memory_embeddings_dim" CHECK("memory_embeddings"."dim" > 0 AND length("memory_embeddings"."vector") = "memory_embeddings"."dim" * 4)
);
--> statement-breakpoint
CREATE INDEX `memory_embeddings_model` ON `memory_embeddings` (`model`);--> statement-breakpoint
CREATE TABLE `memory_tags` (
	`memory_id` integer NOT NULL,
	`tag` text NOT NULL,
	PRIMARY KEY(`memory_id`, `tag`),
	FOREIGN KEY (`memory_id`) REFERENCES `memories`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "memory_tags_tag" CHECK("memory_tags"."tag" <> '')
);
--> statement-breakpoint
CREATE INDEX `memory_tags_tag_memory` ON `memory_tags` (`tag`,`memory_id`);--> statement-breakpoint
CREATE TABLE `notifications` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`type` text DEFAULT 'reminder' NOT NULL,
	`title` text NOT NULL,
	`body` text,
	`priority` text DEFAULT 'normal' NOT NULL,
	`source` text,
	`action_url` text,
	`metadata` text,
	`schedule_id` integer,
	`due_at` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`read_at` integer,
	`dismissed_at` integer,
	`snoozed_until` integer,
	FOREIGN KEY (`schedule_id`) REFERENCES `schedules`(`id`) ON UPDATE no action ON DELETE set null,
	CONSTRAINT "notifications_priority" CHECK("notifications"."priority" IN ('low', 'normal', 'high'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `notifications_schedule_due` ON `notifications` (`schedule_id`,`due_at`);--> statement-breakpoint
CREATE INDEX `notifications_created` ON `notifications` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `notifications_expires` ON `notifications` (`expires_at`) WHERE expires_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `leases` (
	`name` text PRIMARY KEY NOT NULL,
	`holder` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `schedules` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`task` text NOT NULL,
	`cron_expression` text NOT NULL,
	`description` text,
	`enabled` integer DEFAULT true NOT NULL,
	`last_run_at` integer,
	`next_run_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "schedules_enabled" CHECK("schedules"."enabled" IN (0, 1))
);
--> statement-breakpoint
CREATE INDEX `schedules_due` ON `schedules` (`next_run_at`) WHERE enabled = 1;--> statement-breakpoint
CREATE TABLE `settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `local_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`hash` blob NOT NULL,
	`scopes` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`revoked_at` integer,
	CONSTRAINT "local_tokens_hash" CHECK(length("local_tokens"."hash") = 32)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `local_tokens_hash_unique` ON `local_tokens` (`hash`);