-- Indexes for the orders in which lists can be asked for: the latest hires, and the best ratings. Reviews without a rating come last.
create index employees_by_hire_date on hr.employees (hire_date, employee_id) where active;
create index performance_reviews_by_rating on hr.performance_reviews (rating desc nulls last, review_id desc);
