# A module without providers: it works in any network, with terraform and tofu alike.
variable "name" {
  type        = string
  description = "Whom to greet."
}

module "shout" {
  source = "./modules/shout"
  text   = "hello, ${var.name}"
}

output "greeting" {
  value       = module.shout.text
  description = "The greeting, as it would be called across a street."
}
