CREATE TABLE `context_proposals` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`action` text NOT NULL,
	`section_key` text NOT NULL,
	`device_id` text,
	`project_id` integer,
	`section_title` text NOT NULL,
	`content` text NOT NULL,
	`sort_order` integer NOT NULL,
	`enabled` integer NOT NULL,
	`section_id` integer,
	`section_version` integer,
	`caller` text NOT NULL,
	`client` text,
	`created_at` integer NOT NULL,
	CONSTRAINT "context_proposals_action" CHECK("context_proposals"."action" IN ('add', 'update', 'delete')),
	CONSTRAINT "context_proposals_enabled" CHECK("context_proposals"."enabled" IN (0, 1)),
	CONSTRAINT "context_proposals_base" CHECK(("context_proposals"."action" = 'add') = ("context_proposals"."section_id" IS NULL))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `context_proposals_global` ON `context_proposals` (`section_key`) WHERE device_id IS NULL AND project_id IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `context_proposals_device` ON `context_proposals` (`section_key`,`device_id`) WHERE device_id IS NOT NULL AND project_id IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `context_proposals_project` ON `context_proposals` (`section_key`,`project_id`) WHERE device_id IS NULL AND project_id IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `context_proposals_device_project` ON `context_proposals` (`section_key`,`device_id`,`project_id`) WHERE device_id IS NOT NULL AND project_id IS NOT NULL;